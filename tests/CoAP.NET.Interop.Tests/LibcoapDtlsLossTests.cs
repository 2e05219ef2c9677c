namespace CoAP.NET.Interop.Tests;

/// <summary>
/// libcoap's clients with OpenSSL and with GnuTLS, which fail to send some datagrams, against our server over DTLS: handshakes and requests
/// come to an end all the same.
/// </summary>
[External(LibcoapClient.SecureProgram, LibcoapClient.GnuTlsProgram)]
public sealed class LibcoapDtlsLossTests
{
    // Of its datagrams the first is a ClientHello, the second that with the cookie, the third has ClientKeyExchange (GnuTLS sends each
    // message by itself), and so on up to the request.
    [Theory]
    [InlineData(LibcoapClient.SecureProgram)]
    [InlineData(LibcoapClient.GnuTlsProgram)]
    [Rfc("6347-4.2.4-1")]
    public async Task A_handshake_completes_although_the_libcoap_client_drops_datagrams(string program)
    {
        await using StreamServer server = await StreamServer.StartWithKeyAsync();
        PeerResult[] results = await Task.WhenAll(((string[])["1", "2", "3", "4", "3,4", "5,6"]).Select(lost =>
            LibcoapClient.RunProgramAsync(program, "-l", lost, "-u", StreamServer.Identity, "-k", StreamServer.Key, server.Uri("/who"))));
        Assert.All(results, result => Assert.EndsWith(StreamServer.Identity, result.Output, Ordinal));
    }

    // What is lost of the server's: the cookie, the flight with ServerHello, that with Finished, an answer.
    [Theory]
    [InlineData(LibcoapClient.SecureProgram)]
    [InlineData(LibcoapClient.GnuTlsProgram)]
    [Rfc("6347-4.2.4-1", "6347-4.1.2.6-1")]
    public async Task Lost_and_duplicated_datagrams_do_not_affect_a_session_with_the_libcoap_client(string program)
    {
        await using StreamServer server = await StreamServer.StartWithKeyAsync();
        LossyPath toServer = new(loseEvery: 0, doubleEvery: 2);
        LossyPath toClient = new(loseEvery: 3, doubleEvery: 2);
        await using LossyRelay relay = new(new IPEndPoint(IPAddress.Loopback, new Uri(server.Uri("/")).Port), toServer, toClient);
        string uri = relay.Uri("/who").Replace("coap:", "coaps:");
        PeerResult result = await LibcoapClient.RunProgramAsync(program, "-u", StreamServer.Identity, "-k", StreamServer.Key, uri);
        result.Output.Ends(StreamServer.Identity);
        Assert.True(toClient.Lost > 0 && toServer.Doubled > 0);
    }
}
