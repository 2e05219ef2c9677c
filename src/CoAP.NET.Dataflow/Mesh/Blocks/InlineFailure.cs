using Microsoft.Extensions.Logging;

namespace CoAP.NET.Mesh;

/// <summary>Turns an exception into a counted, logged verdict.</summary>
internal static class InlineFailure
{
    /// <summary>Counts and logs. Never throws: a logger of a user that does is no reason to lose the pipeline.</summary>
    public static void Report(CoapCounters counters, ILogger logger, Exception exception)
    {
        counters.Add(CoapCounter.StageErrors);
        try
        {
            Log.StageFailed(logger, exception);
        }
#pragma warning disable CA1031 // the counter has it
        catch (Exception)
#pragma warning restore CA1031
        {
        }
    }
}
