import TintypeCommandLine

TintypeTool.main()
