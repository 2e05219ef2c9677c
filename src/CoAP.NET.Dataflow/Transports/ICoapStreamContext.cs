namespace CoAP.NET.Transports;

/// <summary>
/// What an endpoint gives to a transport of reliable connections (<see cref="CoapStreamTransport"/>, RFC 8323). Thread-safe.
/// </summary>
public interface ICoapStreamContext : ICoapConnectionContext
{
    /// <summary>
    /// Finds the end of a frame (RFC 8323 section 3.2). When its beginning breaks a rule or is longer than
    /// <see cref="CoapLimits.MaxStreamMessageSize"/>, the connection is aborted, and nothing more is to be read from it.
    /// </summary>
    /// <param name="connection">The connection.</param>
    /// <param name="first">The beginning of the frame: all that is there, or at least 8 bytes.</param>
    /// <param name="available">How many bytes are there in all.</param>
    /// <returns>
    /// The length of the frame in bytes, whether or not all of it is there; 0 when that cannot be said yet; -1 when the connection was
    /// aborted.
    /// </returns>
    long MeasureFrame(CoapConnection connection, ReadOnlySpan<byte> first, long available);

    /// <summary>
    /// Says that the peer broke a rule of the transport, so that nothing more is to be read from it: the connection is aborted (RFC 8323
    /// section 5.6).
    /// </summary>
    /// <param name="connection">The connection.</param>
    /// <param name="reason">What it did, as a sentence; it is the diagnostic payload of the Abort.</param>
    void Refuse(CoapConnection connection, string reason);

    /// <summary>
    /// Asks for memory for a frame of which only a part is there: one budget for the endpoint
    /// (<see cref="CoapLimits.MaxFrameAssemblyBytes"/>), with a share for each source (<see cref="CoapLimits.StreamSourceShare"/>). When it
    /// is full, the endpoint closes the connection whose frame did not grow for longest, of the source that holds most. Not to be called
    /// under a lock of the transport.
    /// </summary>
    /// <param name="connection">The connection; one thread at a time asks for it and gives back.</param>
    /// <param name="bytes">How much more is held.</param>
    /// <returns>False when this connection itself must give way: the transport closes it.</returns>
    bool TryReserveAssembly(CoapConnection connection, int bytes);

    /// <summary>
    /// Gives back what <see cref="TryReserveAssembly"/> gave. What a connection still has when it ends is given back for it.
    /// </summary>
    /// <param name="connection">The connection.</param>
    /// <param name="bytes">How much less is held.</param>
    void ReleaseAssembly(CoapConnection connection, int bytes);

    /// <summary>
    /// Says that a connection holds more memory for what waits to be sent than before, or less, by some kilobytes: the endpoint reads
    /// <see cref="CoapConnection.Backlog"/>. What all connections hold is one budget (<see cref="CoapLimits.MaxStreamSendBytes"/>), with a
    /// share for each source; when it is full, the endpoint closes the connection whose peer took nothing for longest, of the source that
    /// holds most. Need not be called for what the operating system takes at once. Not to be called under a lock of the transport.
    /// </summary>
    /// <param name="connection">The connection.</param>
    void BacklogChanged(CoapConnection connection);

    /// <summary>Says that a connection that was congested takes frames again. Not to be called under a lock of the transport.</summary>
    /// <param name="connection">The connection.</param>
    void Writable(CoapConnection connection);

    /// <summary>
    /// Says that the peer will send nothing more (a half-closed connection). What it asked for is answered, then the connection is closed.
    /// </summary>
    /// <param name="connection">The connection.</param>
    void ReceiveEnded(CoapConnection connection);
}
