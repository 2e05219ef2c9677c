using CoAP.NET.Errors;
using CoAP.NET.Transports.Streams;

namespace CoAP.NET.Connecting;

/// <summary>One attempt to open a connection, shared by all requests that wait for it. It goes on while anybody does.</summary>
/// <param name="target">The target.</param>
/// <param name="wait">How long it waits before it begins, in units of 100 ns; not above zero for at once.</param>
#pragma warning disable CA1001 // the source has no timer and no handle, and may be cancelled at any time
internal sealed class ConnectionAttempt(ConnectionPoolEntry target, long wait)
#pragma warning restore CA1001
{
    private readonly CancellationTokenSource _givenUp = new();
    private readonly string? _failureBefore = target.LastFailure;
    private Destination? _current;

    public ConnectionPoolEntry Target { get; } = target;

    public long Wait { get; } = wait;

    /// <summary>
    /// Ends with the channel of the connection, or a <see cref="CoapException"/>. Continuations never run on the thread that completes it.
    /// </summary>
    public TaskCompletionSource<CoapChannel> Completion { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>How many requests wait for it. Guarded by the lock of the pool.</summary>
    public int Waiters { get; set; }

    /// <summary>Whether it has ended or was given up. Guarded by the lock of the pool.</summary>
    public bool IsOver { get; set; }

    public CancellationToken GivenUp => _givenUp.Token;

    /// <summary>It goes to an address now.</summary>
    public void Begin(CoapAddress remote, string? serverName) => Volatile.Write(ref _current, new Destination(remote, serverName));

    /// <summary>Its progress. Read it before the attempt is abandoned: an abandoned attempt has none.</summary>
    public CoapConnectProgress Progress => Volatile.Read(ref _current) is not { } current
        ? new CoapConnectProgress(
            CoapConnectPhase.Waiting, $"The previous attempt failed, and the next one waits for its turn (ReconnectDelay). "
                + $"{_failureBefore}")
        : Target.Key.Transport.ProgressOf(current.Remote, current.ServerName)
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
