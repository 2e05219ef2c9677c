using System.Runtime.InteropServices;
using System.Text;
using CoAP.NET.Dtls.Native;
using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>A client's end of a handshake.</summary>
internal sealed class ClientHandshake : Handshake
{
    /// <summary>Prepares one; <see cref="Start"/> begins it.</summary>
    /// <param name="context">What handshakes of its endpoint have in common.</param>
    /// <param name="ownCid">The Connection ID for records to this end: often empty, as it has one socket for each server; null: none is offered.</param>
    /// <param name="pskIdentity">Who it is, or null.</param>
    /// <param name="pskKey">What shows it.</param>
    public ClientHandshake(HandshakeContext context, byte[]? ownCid, string? pskIdentity, ReadOnlySpan<byte> pskKey)
        : base(context, ownCid)
    {
        PskIdentity = pskIdentity;
        SetPreSharedKey(pskKey);
        LibSsl.SSL_set_connect_state(Ssl);
    }

    /// <summary>Sends the ClientHello.</summary>
    /// <param name="serverName">The name of the server, for its choice of certificate (RFC 6066 section 3); null for an address.</param>
    public unsafe void Start(string? serverName)
    {
        if (serverName is not null)
        {
            fixed (byte* name = Encoding.ASCII.GetBytes(serverName + '\0'))
            {
                _ = LibSsl.SSL_ctrl(Ssl, LibSsl.SSL_CTRL_SET_TLSEXT_HOSTNAME, new CLong(0), name);
            }
        }

        Step();
    }

    public override byte[]? CidToSend() => OwnCid;

    protected override bool TakesPlain(in RecordHeader header, ReadOnlyMemory<byte> record) => true;
}
