namespace CoAP.NET.Transports;

/// <summary>
/// What a context of datagrams (<see cref="ICoapDatagramTransportContext"/>) can do for a transport that receives many datagrams at a time.
/// Without it the endpoint fetches the state of peers when their datagrams arrive.
/// </summary>
internal interface IDatagramPrefetchContext
{
    /// <summary>Announces datagrams that the transport will hand in next, so the endpoint can prefetch the state of their peers.</summary>
    /// <remarks>Only a hint for a transport that received several datagrams together; nothing depends on it.</remarks>
    /// <param name="datagrams">The datagrams; not taken over. The endpoint uses the first 64 only.</param>
    void Expect(ReadOnlySpan<CoapDatagram> datagrams);
}
