using Microsoft.Extensions.Logging;

namespace CoAP.NET.Mesh;

/// <summary>Counts and logs exceptions of stages.</summary>
internal static class StageExceptionReporter
{
    /// <summary>Counts and logs an exception. Never throws, even if a logger of the application does.</summary>
    public static void Report(CoapCounters counters, ILogger logger, Exception exception)
    {
        counters.Add(CoapCounter.StageErrors);
        try
        {
            Log.StageFailed(logger, exception);
        }
#pragma warning disable CA1031 // the exception is already counted
        catch (Exception)
#pragma warning restore CA1031
        {
        }
    }
}
