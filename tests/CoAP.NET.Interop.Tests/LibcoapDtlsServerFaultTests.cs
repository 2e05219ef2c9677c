using CoAP.NET.Diagnostics;

namespace CoAP.NET.Interop.Tests;

/// <summary>Our client against libcoap's servers over DTLS that fail to send some datagrams, or are killed.</summary>
[External(LibcoapServer.SecureProgram, LibcoapServer.GnuTlsProgram)]
public sealed class LibcoapDtlsServerFaultTests
{
    private const string Key = "secretPSK";

    [Theory]
    [InlineData(LibcoapServer.SecureProgram)]
    [InlineData(LibcoapServer.GnuTlsProgram)]
    [Rfc("6347-4.2.4-1")]
    public async Task Requests_are_answered_although_the_libcoap_server_drops_datagrams(string program)
    {
        await using LibcoapServer server = await LibcoapServer.StartProgramAsync(program, "-k", Key, "-l", "20%");
        await using CoapClient client = Client();
        foreach (int _ in Enumerable.Range(0, 3))
        {
            Assert.Equal(CoapCode.Content, (await client.GetAsync(server.DtlsUri("/time")).WaitAsync(PeerProcess.TransferHangLimit)).Code);
        }
    }

    [Theory]
    [InlineData(LibcoapServer.SecureProgram)]
    [InlineData(LibcoapServer.GnuTlsProgram)]
    [Rfc("7252-9-2")]
    public async Task A_killed_and_restarted_libcoap_server_gets_requests_in_a_new_session(string program)
    {
        await using LibcoapServer server = await LibcoapServer.StartProgramAsync(program, "-k", Key);
        await using CoapClient client = Client();
        Assert.Equal(CoapCode.Content, (await Within(client.GetAsync(server.DtlsUri("/time")))).Code);
        await server.KillAsync();
        await server.StartAgainAsync();
        Assert.Equal(CoapCode.Content, (await Within(client.GetAsync(server.DtlsUri("/time")))).Code);
        Assert.Equal(2, client.Endpoint.Counters[CoapCounter.ConnectionsOpened]);
    }

    private static CoapClient Client() => new(new CoapEndpointOptions
    {
        // With so many copies, one run in a million loses all of one message.
        Parameters = CoapTransmissionParameters.Default with { AckTimeout = TimeSpan.FromMilliseconds(500), MaxRetransmit = 8 },
    }.UseDtls(new CoapDtlsOptions
    {
        Client = new CoapDtlsClientOptions { Psk = new CoapPskCredential("device-7", Encoding.ASCII.GetBytes(Key)) },
        RetransmitTimeout = TimeSpan.FromMilliseconds(500),
        HandshakeTimeout = PeerProcess.HangLimit,
    }));
}
