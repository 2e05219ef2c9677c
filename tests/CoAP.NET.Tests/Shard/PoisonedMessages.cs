using System.Runtime.CompilerServices;

namespace CoAP.NET.Tests.Shard;

/// <summary>
/// In all tests a message that came back to the stages is spoilt, so that whoever looks at it too late is found; but for those that count
/// what is allocated.
/// </summary>
internal sealed class PoisonedMessages : IDisposable
{
    private static readonly Lock s_gate = new();
    private static int s_paused;

    private PoisonedMessages()
    {
    }

    /// <summary>Messages are used again, as in production, until the result is disposed.</summary>
    public static PoisonedMessages Pause()
    {
        lock (s_gate)
        {
            SpareMessage.Poisons = ++s_paused == 0;
        }

        return new PoisonedMessages();
    }

    public void Dispose()
    {
        lock (s_gate)
        {
            SpareMessage.Poisons = --s_paused == 0;
        }
    }

#pragma warning disable CA2255 // nobody but the test runner loads this assembly
    [ModuleInitializer]
#pragma warning restore CA2255
    internal static void Poison() => SpareMessage.Poisons = true;
}
