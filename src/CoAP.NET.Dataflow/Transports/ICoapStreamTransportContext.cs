namespace CoAP.NET;

/// <summary>
/// The services of an endpoint for a transport of reliable connections (<see cref="CoapStreamTransport"/>, RFC 8323). Thread-safe.
/// </summary>
public interface ICoapStreamTransportContext : ICoapConnectionTransportContext
{
    /// <summary>Measures a frame (RFC 8323 section 3.2).</summary>
    /// <remarks>
    /// If the beginning of the frame violates a rule, or the frame exceeds <see cref="CoapConnectionLimits.MaxMessageSize"/>, the endpoint
    /// aborts the connection. The transport must then stop reading it.
    /// </remarks>
    /// <param name="connection">The connection.</param>
    /// <param name="first">The beginning of the frame: all available bytes, or at least 8 bytes.</param>
    /// <param name="available">The number of available bytes.</param>
    /// <returns>
    /// The length of the frame in bytes, even if not all of it is available; 0 when the length is not known yet; -1 when the connection was
    /// aborted.
    /// </returns>
    long MeasureFrame(CoapConnection connection, ReadOnlySpan<byte> first, long available);

    /// <summary>Aborts a connection whose peer violated a rule of the transport (RFC 8323 section 5.6).</summary>
    /// <remarks>The transport must stop reading it.</remarks>
    /// <param name="connection">The connection.</param>
    /// <param name="reason">The violation as a sentence. It becomes the diagnostic payload of the Abort.</param>
    void Refuse(CoapConnection connection, string reason);

    /// <summary>Reserves memory for a partial frame.</summary>
    /// <remarks>
    /// The endpoint has one budget (<see cref="CoapConnectionLimits.ReceiveMemory"/>), with a share for each source
    /// (<see cref="CoapConnectionLimits.MaxSourceFraction"/>). When the budget is full, the endpoint takes the source that holds most and
    /// closes its connection whose frame has not grown for longest. Do not call it under a lock of the transport.
    /// </remarks>
    /// <param name="connection">The connection. One thread at a time reserves and releases for it.</param>
    /// <param name="bytes">The number of additional bytes.</param>
    /// <returns>False when this connection itself must be evicted: the transport closes it.</returns>
    bool TryReserveAssembly(CoapConnection connection, int bytes);

    /// <summary>Releases memory that <see cref="TryReserveAssembly"/> reserved.</summary>
    /// <remarks>When a connection ends, the endpoint releases the rest.</remarks>
    /// <param name="connection">The connection.</param>
    /// <param name="bytes">The number of bytes to release.</param>
    void ReleaseAssembly(CoapConnection connection, int bytes);

    /// <summary>
    /// Reports that the send backlog of a connection has changed by some kilobytes; the endpoint then reads
    /// <see cref="CoapConnection.Backlog"/>.
    /// </summary>
    /// <remarks>
    /// The endpoint has one budget for all connections (<see cref="CoapConnectionLimits.SendMemory"/>), with a share for each source. When
    /// the budget is full, the endpoint takes the source that holds most and closes its connection whose peer has taken nothing for
    /// longest. The call is not needed for bytes that the operating system takes at once. Do not call it under a lock of the transport.
    /// </remarks>
    /// <param name="connection">The connection.</param>
    void BacklogChanged(CoapConnection connection);

    /// <summary>Reports that a congested connection accepts frames again.</summary>
    /// <remarks>Do not call it under a lock of the transport.</remarks>
    /// <param name="connection">The connection.</param>
    void CongestionEnded(CoapConnection connection);

    /// <summary>Reports that the peer will send nothing more (a half-closed connection).</summary>
    /// <remarks>The endpoint answers the pending requests and then closes the connection.</remarks>
    /// <param name="connection">The connection.</param>
    void ReceiveEnded(CoapConnection connection);
}
