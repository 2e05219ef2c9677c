using CoAP.NET.Dtls.Steering;
using CoAP.NET.Transports;

namespace CoAP.NET.Dtls;

/// <summary>What a server of <c>coaps</c> gives to its <see cref="ICoapDtlsSteering"/>. Thread-safe.</summary>
public sealed class CoapDtlsSteeringPort
{
    private static readonly TimeSpan s_longestGrace = TimeSpan.FromMinutes(5);
    private readonly SessionSteering _steering;

    internal CoapDtlsSteeringPort(SessionSteering steering) => _steering = steering;

    /// <summary>
    /// How long <see cref="ReleaseAsync"/> waits for requests that are under way in the sessions of a slot. Default 5 s; 0 to 5 minutes.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 0 to 5 minutes.</exception>
    public TimeSpan GracePeriod
    {
        get => _steering.GracePeriod;
        set => _steering.GracePeriod = OptionRanges.Check(value, TimeSpan.Zero, s_longestGrace, nameof(GracePeriod));
    }

    /// <summary>
    /// Takes a datagram that another server relayed, or that the steering has kept for a while. Only its address is trusted: it is looked
    /// at as any datagram from there. The steering is not asked to relay it, so nothing goes in circles.
    /// </summary>
    /// <param name="via">A number above 0 that the steering gives the server that relayed it: answers go by
    /// <see cref="ICoapDtlsSteering.TrySendVia"/> until the client is heard directly, or in another way. 0: it came to this
    /// server.</param>
    /// <param name="remote">Where the datagram came from.</param>
    /// <param name="datagram">The datagram. It is decrypted in place.</param>
    /// <returns>Whether it was of use; false when nobody here knows it, it is not authentic or too long, and before the server has started
    /// and after it has stopped. Counted in <see cref="CoapCounter.RecordsRejected"/>.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="via"/> is negative.</exception>
    public bool Receive(int via, CoapAddress remote, Span<byte> datagram)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(via);
        return _steering.Receive(via, remote, datagram);
    }

    /// <summary>
    /// Sends what another server has for a client that was heard here: what its steering took by
    /// <see cref="ICoapDtlsSteering.TrySendVia"/>. It leaves from where the client was heard, if that is not too long ago.
    /// </summary>
    /// <param name="remote">Where it is to go.</param>
    /// <param name="datagram">The datagram. Copied.</param>
    /// <returns>Whether it was sent; false for an address to which nothing can be sent, a datagram that is empty or too long, and before
    /// the server has started and after it has stopped.</returns>
    public bool Send(CoapAddress remote, ReadOnlySpan<byte> datagram) => _steering.Send(remote, datagram);

    /// <summary>
    /// Hands all sessions of a slot over to whoever loads them: each ends here without a word to its client, and the keeper
    /// (<see cref="CoapDtlsServerOptions.SessionKeeping"/>) gets its exact state, so that it goes on elsewhere with the next record
    /// (<see cref="CoapDtlsSessionChangeKind.Stopped"/>). <see cref="ICoapDtlsSteering.SlotOfNewSession"/> must not give the slot any more;
    /// handshakes that have it already are given up, and their clients begin anew. The slot may come back later.
    /// </summary>
    /// <remarks>
    /// Requests that are under way are finished, for <see cref="GracePeriod"/> at most. A new one is left without an answer and without
    /// effect from the time on when its session, or in the end the whole slot, begins no more: <see cref="ICoapDtlsSteering.TryHold"/> gets
    /// it for the next server; what is not held clients repeat, if it is Confirmable. Message IDs and answers of requests other than GET
    /// and FETCH go with the state, so that no copy of one is carried out twice. What still runs after the grace period gets no answer;
    /// where it is not idempotent, copies of it are not carried out at the next server. Requests of ours to the clients fail.
    /// </remarks>
    /// <param name="slot">The slot.</param>
    /// <param name="cancellationToken">Ends the grace period and the waiting for the keeper; nothing of the slot is here nevertheless. One
    /// that is cancelled already gives no grace, as for a slot that another server has taken.</param>
    /// <returns>A task that ends when nothing of the slot is here, and the keeper has confirmed all states.</returns>
    /// <exception cref="TimeoutException">The keeper has not confirmed within <see cref="CoapDtlsSessionKeeping.ConfirmTimeout"/>. Nothing
    /// of the slot is here. Whoever loads the sessions takes them as after a crash.</exception>
    /// <exception cref="OperationCanceledException">It was cancelled.</exception>
    public Task ReleaseAsync(byte slot, CancellationToken cancellationToken) => _steering.ReleaseAsync(slot, cancellationToken);

    /// <summary>
    /// Has the server take datagrams for some time from now on. What comes later, by its sockets or from other servers, is left alone
    /// until this is called again: no record is opened, so a copy of it is as good as new, and no ClientHello is answered. For a server
    /// that may find, when its process goes on after it was stopped, that others have its slots: whoever calls this several times as often
    /// as the time says that it is not so.
    /// </summary>
    /// <remarks>
    /// Before the first call there is no end. What is left alone is counted in <see cref="CoapCounter.RecordsRejected"/>.
    /// </remarks>
    /// <param name="time">How long, by the clock of the server; zero: nothing is taken; <see cref="Timeout.InfiniteTimeSpan"/>: without
    /// end.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="time"/> is negative, and not infinite.</exception>
    public void ServeFor(TimeSpan time)
    {
        if (time != Timeout.InfiniteTimeSpan)
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(time, TimeSpan.Zero);
        }

        _steering.ServeFor(time);
    }

    /// <summary>
    /// The sockets of the server: where several processes share its port, the steering may have the kernel bring records to them by slot
    /// (<see cref="CoapUdpTransport.TryAttach"/>). Null where the server has none of its own.
    /// </summary>
    public CoapUdpTransport? Sockets => _steering.Sockets;

    /// <summary>How many sessions of a slot are here.</summary>
    /// <param name="slot">The slot.</param>
    /// <returns>The number; 0 after the server has stopped.</returns>
    public int SessionsOf(byte slot) => _steering.SessionsOf(slot);
}
