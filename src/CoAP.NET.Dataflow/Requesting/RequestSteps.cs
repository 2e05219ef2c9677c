namespace CoAP.NET.Requesting;

/// <summary>The steps of an endpoint, in their order: the first is nearest to the caller.</summary>
internal static class RequestSteps
{
    /// <summary>Links steps.</summary>
    /// <param name="steps">The steps, the sending one last.</param>
    /// <returns>The first one.</returns>
    public static RequestStep Link(params ReadOnlySpan<RequestStep> steps)
    {
        for (int i = 0; i + 1 < steps.Length; i++)
        {
            steps[i].Next = steps[i + 1];
        }

        return steps[0];
    }
}
