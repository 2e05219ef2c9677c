using System.Diagnostics;
using CoAP.NET.Errors;

namespace CoAP.NET.Transports.Streams;

/// <summary>
/// The pending connection attempts of a transport with their progress (<see cref="CoapConnectionTransport.ProgressOf"/>). Thread-safe.
/// </summary>
internal sealed class ConnectProgressTable
{
    private readonly Lock _gate = new();
    private readonly List<Opening> _all = [];

    /// <summary>Begins an attempt; disposing the result ends it.</summary>
    public Opening Begin(CoapAddress remote, string? serverName)
    {
        Opening opening = new(this, remote, serverName);
        lock (_gate)
        {
            _all.Add(opening);
        }

        return opening;
    }

    /// <summary>Returns the progress of the newest attempt for an address; null for none.</summary>
    public CoapConnectProgress? Find(CoapAddress remote, string? serverName)
    {
        lock (_gate)
        {
            return _all.FindLast(opening => opening.Remote == remote && opening.ServerName == serverName)?.Progress;
        }
    }

    private void Remove(Opening opening)
    {
        lock (_gate)
        {
            bool wasThere = _all.Remove(opening);
            Debug.Assert(wasThere, "An attempt ends once.");
        }
    }

    /// <summary>One attempt.</summary>
    internal sealed class Opening(ConnectProgressTable all, CoapAddress remote, string? serverName) : IDisposable
    {
        private CoapConnectProgress _progress = ConnectFailureMessage.Silence(remote, serverName);

        public CoapAddress Remote { get; } = remote;

        public string? ServerName { get; } = serverName;

        public CoapConnectProgress Progress => Volatile.Read(ref _progress);

        /// <summary>Records that the TCP connection is open, and the server has not answered the first bytes on it.</summary>
        public void OnConnected(CoapTimeoutStep awaits) => Set(awaits, CoapConnectPhase.NoAnswer, awaits == CoapTimeoutStep.TlsHandshake
            ? $"{Remote} took the TCP connection and did not answer the ClientHello. Does it speak TLS at this port? coaps+tcp has port "
                + "5684, coap+tcp without TLS has 5683."
            : $"{Remote} took the connection and did not answer the HTTP request for a WebSocket. Does a web server with CoAP over "
                + "WebSockets listen at this port?");

        /// <summary>Records that the server's certificate was accepted.</summary>
        public void OnTrusted(CoapTimeoutStep awaits) => Set(
            awaits,
            CoapConnectPhase.Authenticating,
            $"{Remote} presented its certificate and has not answered since. It may reject the certificate of this end, not speak "
                + "CoAP, or be overloaded.");

        public void Dispose() => all.Remove(this);

        private void Set(CoapTimeoutStep awaits, CoapConnectPhase stage, string description) =>
            Volatile.Write(ref _progress, new CoapConnectProgress(stage, description) { Awaited = awaits });
    }
}
