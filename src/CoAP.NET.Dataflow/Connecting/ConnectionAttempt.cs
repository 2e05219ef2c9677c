using CoAP.NET.Errors;
using CoAP.NET.Transports.Streams;

namespace CoAP.NET.Connecting;

/// <summary>One attempt to open a connection, shared by all requests that wait for it. It ends when no request waits.</summary>
/// <param name="entry">The target.</param>
/// <param name="wait">The delay before it begins, in units of 100 ns; 0 for none.</param>
#pragma warning disable CA1001 // the source has no timer and no handle, and may be cancelled at any time
internal sealed class ConnectionAttempt(ConnectionPoolEntry entry, long wait)
#pragma warning restore CA1001
{
    private readonly CancellationTokenSource _givenUp = new();
    private readonly string? _failureBefore = entry.LastFailure;
    private Destination? _current;

    public ConnectionPoolEntry Entry { get; } = entry;

    public long Wait { get; } = wait;

    /// <summary>
    /// Ends with the channel of the connection, or a <see cref="CoapException"/>. Continuations never run on the thread that completes it.
    /// </summary>
    public TaskCompletionSource<CoapChannel> Completion { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Number of requests that wait for it. Guarded by the lock of the pool.</summary>
    public int Waiters { get; set; }

    /// <summary>Whether it has ended or was cancelled. Guarded by the lock of the pool.</summary>
    public bool IsOver { get; set; }

    public CancellationToken GivenUp => _givenUp.Token;

    /// <summary>Records the address to which it connects now, for <see cref="Progress"/>.</summary>
    public void Begin(CoapAddress remote, string? serverName) => Volatile.Write(ref _current, new Destination(remote, serverName));

    /// <summary>Its progress. Read it before the attempt is abandoned: an abandoned attempt has none.</summary>
    public CoapConnectProgress Progress => Volatile.Read(ref _current) is not { } current
        ? new CoapConnectProgress(
            CoapConnectPhase.Waiting, $"The previous attempt failed, and the next one waits for its turn (ReconnectDelay). "
                + $"{_failureBefore}")
        : Entry.Key.Transport.ProgressOf(current.Remote, current.ServerName)
            ?? ConnectFailureMessage.Silence(current.Remote, current.ServerName);

    /// <summary>Cancels the attempt after the last waiting request. The caller must hold no lock.</summary>
    public void GiveUp() => _givenUp.Cancel();

    public void Fail(CoapException error)
    {
        Completion.TrySetException(error);

        // There may be no waiting request any more; observe the exception here.
        _ = Completion.Task.Exception;
    }

    private sealed record Destination(CoapAddress Remote, string? ServerName);
}
