namespace CoAP.NET.Transports;

/// <summary>
/// One security session over datagrams, as the mesh sees it: one peer for its whole lifetime, whatever address its datagrams come from.
/// </summary>
/// <remarks>
/// Tokens, duplicates, exchanges, observers and blocks belong to the session (RFC 7252 sections 9.1.1 and 9.1.2). The transport creates the
/// session when the peer has proven its identity and reports it with <see cref="ICoapConnectionTransportContext.Opened"/>. It hands in
/// received messages as datagrams whose <see cref="CoapDatagram.Channel"/> is that of the session. At the end it calls
/// <see cref="ICoapConnectionTransportContext.Closed"/> once.
/// </remarks>
internal abstract class CoapSession : CoapConnection
{
    private long _received;

    /// <summary>Creates a session.</summary>
    /// <param name="transport">The transport it belongs to.</param>
    /// <param name="isInitiator">Whether this endpoint opened the session; false: the peer did.</param>
    protected CoapSession(CoapSessionTransport transport, bool isInitiator)
        : base(transport, isInitiator)
    {
    }

    /// <summary>The peer's current address.</summary>
    /// <remarks>
    /// It changes when the session has a Connection ID (RFC 9146 section 6): see <see cref="ICoapSessionTransportContext.Moved"/>.
    /// </remarks>
    public abstract override CoapAddress Remote { get; }

    /// <summary>The local address towards the peer; the wildcard when the operating system chooses.</summary>
    /// <remarks>It changes when the peer starts to send to another local address.</remarks>
    public abstract override CoapAddress Local { get; }

    /// <summary>Always false: a datagram that cannot be sent at once is lost.</summary>
    public override bool IsCongested => false;

    /// <summary>The received messages, as <see cref="OnReceived"/> counts them. Messages are never partial.</summary>
    public override CoapConnectionTransferProgress Progress => new(Volatile.Read(ref _received), 0, 0, 0);

    /// <summary>The maximum size of a message that the peer accepts, in bytes (RFC 8449). Default: no limit.</summary>
    public virtual int MaxMessageSize => int.MaxValue;

    /// <summary>The overhead of a datagram to the peer over its message, in bytes.</summary>
    /// <remarks>
    /// The endpoint adds it when it limits what it sends to an address that the peer has moved to and not answered from. Default 29: the
    /// minimum of DTLS 1.2.
    /// </remarks>
    public virtual int SentOverhead => 29;

    /// <summary>The overhead of a datagram from the peer over its message, in bytes. Default 29: the minimum of DTLS 1.2.</summary>
    public virtual int ReceivedOverhead => 29;

    /// <summary>How long the peer has been silent, as far as the transport knows. Default zero: a new session.</summary>
    /// <remarks>
    /// The endpoint asks when the session is opened. The peer of a session that another process had may have been silent for long.
    /// </remarks>
    public virtual TimeSpan Idle => TimeSpan.Zero;

    /// <summary>Whether the transport can check that the peer receives at its address (RFC 9853). Default false.</summary>
    public virtual bool ChecksPaths => false;

    /// <summary>Checks that the peer receives at its current address.</summary>
    /// <remarks>Only if <see cref="ChecksPaths"/>.</remarks>
    /// <param name="cancellationToken">Cancels the check.</param>
    /// <returns>False if the peer did not answer, or no longer uses the address.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public virtual Task<bool> CheckPathAsync(CancellationToken cancellationToken) => Task.FromResult(false);

    /// <summary>
    /// Whether the peer has moved, and its address before the move still gets what goes out, until <see cref="LeaveFormerAddress"/> or
    /// <see cref="ReturnToFormerAddress"/>. Default false: the transport keeps no former address.
    /// </summary>
    /// <remarks>
    /// An attacker that sees a record and is faster can make the peer appear to move (RFC 9146 section 6, RFC 9853 section 5.1). Messages
    /// go to both addresses then, except Empty Confirmable ones: their answer must show that the peer receives at the new one.
    /// </remarks>
    public virtual bool HasFormerAddress => false;

    /// <summary>Sends a message only to the address before the move, because the limit of the new one is used up.</summary>
    /// <remarks>Only if <see cref="HasFormerAddress"/>. Default: the message is dropped.</remarks>
    /// <param name="datagram">The message; taken over.</param>
    public virtual void SendToFormerAddress(CoapDatagram datagram)
    {
        ArgumentNullException.ThrowIfNull(datagram);
        datagram.Dispose();
    }

    /// <summary>
    /// The peer has shown that it receives at its new address: nothing goes to the former one any more. Does nothing without a former
    /// address, or if the peer has moved again.
    /// </summary>
    /// <param name="answered">The address that was checked.</param>
    public virtual void LeaveFormerAddress(in CoapAddress answered)
    {
    }

    /// <summary>The check of the new address ended without an answer: the former one is the peer's again.</summary>
    /// <param name="unanswered">The address that was checked.</param>
    /// <returns>False if there is no former address, or the peer has another address than that.</returns>
    public virtual bool ReturnToFormerAddress(in CoapAddress unanswered) => false;

    /// <summary>Does nothing: datagrams cannot be held back. Messages without room are dropped.</summary>
    public override void PauseReading()
    {
    }

    /// <summary>Does nothing; see <see cref="PauseReading"/>.</summary>
    public override void ResumeReading()
    {
    }

    /// <summary>Counts a received message.</summary>
    /// <remarks>The count need not be exact: messages that arrive at the same time may count as one.</remarks>
    protected void OnReceived() => Volatile.Write(ref _received, _received + 1);
}
