extension ImagePipeline {
    /// Hands on what a transfer reports, and turns its bytes into previews.
    func events(of job: ImageJob, _ load: Load) -> @Sendable (LoadEvent) -> Void {
        { event in job.send(event) }
    }
}
