using CoAP.NET.Diagnostics;

namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>
/// Bytes of other protocols on the port of CoAP. The first two bits of most of them are another version, so that there is silence (RFC 7252
/// section 3); the others are what their bytes say.
/// </summary>
internal static class ForeignTable
{
    public static HostileTable Table { get; } = new("other protocols", [.. Rows()], [], [], []);

    private static IEnumerable<HostileRow> Rows() =>
    [
        Silent("A query of DNS", "1234 0100 0001 0000 0000 0000 07'example' 03'com' 00 0001 0001"),
        Silent("A query of DNS with an even number", "0000 0100 0001 0000 0000 0000 00 0001 0001"),
        Silent("A response of DNS", "8180 8180 0001 0001 0000 0000 07'example' 03'com' 00 0001 0001 c00c 0001 0001 0000003c 0004 c0000201"),
        Silent("A query of multicast DNS", "0000 0000 0001 0000 0000 0000 05'_coap' 04'_udp' 05'local' 00 000c 0001"),
        Silent("A Binding request of STUN", "0001 0000 2112a442 [ab*12]"),
        Silent("A Binding response of STUN", "0101 000c 2112a442 [ab*12] 0020 0008 0001 a147 e112a643"),
        Silent("A ClientHello of DTLS 1.2",
            "16 feff 0000 000000000000 0036 01 00002a 0000 000000000000002a fefd [00*32] 00 00 0002 c0a8 01 00"),
        Silent("An alert of DTLS", "15 fefd 0001 000000000001 0002 0100"),
        Silent("A record of DTLS 1.3 with a Connection ID", "2f 0102 0000 0010 [aa*16]"),
        Silent("RTP", "80 60 0001 00000000 deadbeef [00*20]"),
        Silent("RTCP", "80 c8 0006 deadbeef [00*24]"),
        Silent("A long header of QUIC", "c3 00000001 08 [11*8] 00 00 449e [00*200]"),
        Silent("A version negotiation of QUIC", "80 00000000 08 [11*8] 00 00000001"),
        Silent("NTP", "23 00 06 ec [00*44]"),
        Silent("SNMP", "30 26 02 01 01 04 06'public' a0 19 02 01 00 02 01 00 02 01 00 30 0e"),
        Silent("TFTP", "0001 'file' 00 'octet' 00"),
        Silent("LwM2M over a wrapped frame", "00 00 00 10 [00*16]"),
        Silent("Zeros", "[00*100]"),
        Silent("Ones", "[ff*100]"),
        Silent("A record of TLS", "16 0301 0100 01 0000fc 0303"),

        // Letters from @ to O are version 1 and Confirmable by chance. A Reset of 4 bytes is owed to them (section 4.2), and never more; P
        // to _ are Non-confirmable.
        new("HTTP", "> 'GET / HTTP/1.1' 0d0a 'Host: a' 0d0a0d0a ; < 70 00 5420", CoapCounter.FormatErrors, "7252-4.2-2"),
        new("HTTP 2", "> 'PRI * HTTP/2.0' 0d0a0d0a 'SM' 0d0a0d0a", CoapCounter.FormatErrors, "7252-4.3-2"),
        new("SIP", "> 'INVITE sip:a@b SIP/2.0' 0d0a ; < 70 00 5649", CoapCounter.FormatErrors, "7252-4.2-2"),
        new("SIP OPTIONS", "> 'OPTIONS sip:a@b SIP/2.0' 0d0a ; < 70 00 5449", CoapCounter.FormatErrors, "7252-4.2-2"),
        new("SSDP", "> 'M-SEARCH * HTTP/1.1' 0d0a ; < 70 00 5345", CoapCounter.FormatErrors, "7252-4.2-2"),
        new("A short header of QUIC", "> 43 [5a*40] ; < 70 00 5a5a", CoapCounter.FormatErrors, "7252-4.2-2"),
        new("Letters", "> 'AAAAAAAAAAAAAAAA' ; < 70 00 4141", CoapCounter.FormatErrors, "7252-4.2-2"),
        new("JSON", "> '{\"a\":1}'", CoapCounter.FormatErrors, "7252-4.2-5"),
        new("XML", "> '<a/>' ; nothing", CoapCounter.Ignored, "7252-3-1"),
    ];

    private static HostileRow Silent(string name, string bytes) => new(name, "> " + bytes, CoapCounter.Ignored, "BAD-02 7252-3-1");
}
