using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Tests;

namespace CoAP.NET.Cluster.Tests.Links;

/// <summary>Those who connect to a node without the secret of its cluster get nothing and harm nobody.</summary>
public sealed class LinkStrangerTests
{
    private static readonly DateTimeOffset s_from = new(2020, 1, 1, 0, 0, 0, TimeSpan.Zero);

    public static TheoryData<string> Strangers => new("nothing", "self-signed", "other secret", "copied extension", "broken extension");

    [Theory]
    [MemberData(nameof(Strangers))]
    public async Task A_stranger_gets_no_byte_of_an_answer_and_is_counted(string kind)
    {
        await using LinkedNodes nodes = new();
        CoapCluster node = nodes.Add();
        CoapCluster member = nodes.Add();
        node.Links.Routes.MapGet("/secret", static () => "secret");
        await nodes.StartAsync();
        using LinkCredential real = new(LinkedNodes.Secret, CoapNodeId.New());
        using X509Certificate2? shown = Make(kind, real.Certificate);

        Assert.Equal(0, await BytesForAsync(ClusterLinksTests.PortOf(node), shown));

        await Eventually.IsTrueAsync(() => node.Links.Counters.Strangers == 1);
        CoapResponse response = await member.Links.SendAsync(node.Self.Id, new CoapRequest(CoapMethod.Get, "/secret"));
        Assert.Equal("secret", response.GetText());
    }

    [Fact]
    public async Task A_node_shows_nothing_to_a_server_that_is_none_of_the_cluster()
    {
        await using LinkedNodes nodes = new();
        CoapCluster node = nodes.Add();
        await nodes.StartAsync();
        CoapMemoryCluster elsewhere = new();
        byte[] secret = [.. LinkedNodes.Secret.Reverse()];
        await using CoapCluster foreign = new(elsewhere.Open(), LinkedNodes.Options(secret: secret));
        foreign.Links.Routes.MapGet("/", static () => "gotcha");
        await foreign.StartAsync();

        node.Links.Update(new CoapClusterMap(9, [node.Self, foreign.Self], new CoapSlotOwner[CoapSlot.Count]));

        await Eventually.IsTrueAsync(() => node.Links.Counters is { Strangers: > 0, Failed: > 0 });
        Assert.False(node.Links.IsUp(foreign.Self.Id));
        Assert.Equal(0, foreign.Links.Counters.Opened);
    }

    [Fact]
    public async Task A_node_with_another_secret_joins_the_same_store_and_never_gets_a_slot()
    {
        await using LinkedNodes nodes = new();
        CoapCluster node = nodes.Add();
        CoapCluster member = nodes.Add();
        await nodes.StartAsync();
        CoapCluster foreign = nodes.Add(configure: static options => options.Secret = LinkedNodes.Secret.Reverse().ToArray());
        await foreign.StartAsync();
        await nodes.PassUntilAsync(() => foreign.Links.Counters.Failed > 0);
        await member.DisposeAsync();
        await nodes.PassUntilAsync(() => node.Map.SlotsOf(node.Self.Id).Count == CoapSlot.Count);

        Assert.False(foreign.IsReady);
        Assert.Empty(foreign.Map.SlotsOf(foreign.Self.Id));
        Assert.Equal("", Assert.Single(node.Map.Nodes, other => other.Id == foreign.Self.Id).Address);
    }

    [Fact]
    public async Task A_flood_of_silent_connections_does_not_keep_a_node_from_being_linked()
    {
        await using LinkedNodes nodes = new();
        CoapCluster node = nodes.Add();
        await nodes.StartAsync();
        List<Socket> flood = [];
        try
        {
            for (int i = 0; i < 300; i++)
            {
                Socket socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
                flood.Add(socket);
                await socket.ConnectAsync(IPAddress.Loopback, ClusterLinksTests.PortOf(node));
            }

            CoapCluster late = nodes.Add();
            await late.StartAsync();

            await nodes.PassUntilLinkedAsync(node, late);
        }
        finally
        {
            flood.ForEach(static socket => socket.Dispose());
        }
    }

    [Fact]
    public async Task A_connection_that_begins_a_handshake_and_says_no_more_is_closed_when_its_time_is_over()
    {
        VirtualClock clock = new();
        await using LinkedNodes nodes = new();
        CoapCluster node = nodes.Add(time: clock);
        await nodes.StartAsync();
        using Socket slow = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await slow.ConnectAsync(IPAddress.Loopback, ClusterLinksTests.PortOf(node));
        await slow.SendAsync(new byte[] { 22, 3, 1, 1, 0, 1 });
        Task<int> end = EndOfAsync(slow);

        // Nobody tells when the connection was accepted, so time passes until its deadline has come.
        await Eventually.IsTrueAsync(() =>
        {
            clock.Advance(TimeSpan.FromSeconds(1));
            return end.IsCompleted;
        });

        Assert.Equal(0, await end);
    }

    [Fact]
    public void Only_what_was_made_with_the_secret_and_for_the_key_is_a_nodes()
    {
        CoapNodeId id = CoapNodeId.New();
        using LinkCredential one = new(LinkedNodes.Secret, id);
        using LinkCredential other = new(LinkedNodes.Secret, CoapNodeId.New());
        using X509Certificate2 publicPart = X509CertificateLoader.LoadCertificate(one.Certificate.RawData);

        Assert.Equal(id, other.NodeOf(publicPart));
        Assert.Equal(default, other.NodeOf(null));
        foreach (string kind in Strangers)
        {
            using X509Certificate2? shown = Make(kind, one.Certificate);
            Assert.Equal(default, other.NodeOf(shown));
        }

        other.Dispose();
        Assert.Equal(default, other.NodeOf(publicPart));
    }

    // What each kind of stranger shows; null for nothing.
    private static X509Certificate2? Make(string kind, X509Certificate2 real)
    {
        if (kind == "nothing")
        {
            return null;
        }

        if (kind == "other secret")
        {
            using LinkCredential foreign = new([.. LinkedNodes.Secret.Reverse()], CoapNodeId.New());
            return X509CertificateLoader.LoadPkcs12(foreign.Certificate.Export(X509ContentType.Pkcs12), null);
        }

        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        CertificateRequest request = new("CN=CoAP.NET cluster node", key, HashAlgorithmName.SHA256);
        if (kind != "self-signed")
        {
            byte[] content = real.Extensions[LinkCredential.ExtensionId]!.RawData;
            request.CertificateExtensions.Add(new X509Extension(
                LinkCredential.ExtensionId, kind == "copied extension" ? content : content[..7], critical: false));
        }

        return request.CreateSelfSigned(s_from, s_from.AddYears(20));
    }

    // How many bytes a server answers somebody who speaks CoAP right after the handshake.
    private static async Task<int> BytesForAsync(int port, X509Certificate2? shown)
    {
        using TcpClient client = new();
        await client.ConnectAsync(IPAddress.Loopback, port);
        await using SslStream stream = new(client.GetStream(), false, static (_, certificate, _, _) => certificate is not null);
        try
        {
            await stream.AuthenticateAsClientAsync(new SslClientAuthenticationOptions
            {
                TargetHost = "node",
                ApplicationProtocols = [new SslApplicationProtocol("coap")],
                EnabledSslProtocols = SslProtocols.Tls12 | SslProtocols.Tls13,
                ClientCertificates = shown is null ? null : [shown],
            });

            // A CSM, and GET /secret.
            await stream.WriteAsync((byte[])[0x00, 0xe1, 0x70, 0x01, 0xb6, .. "secret"u8]);
            return await stream.ReadAsync(new byte[100]);
        }
        catch (Exception exception) when (exception is IOException or AuthenticationException)
        {
            return 0;
        }
    }

    private static async Task<int> EndOfAsync(Socket socket)
    {
        try
        {
            return await socket.ReceiveAsync(new byte[1]);
        }
        catch (SocketException)
        {
            return 0;
        }
    }
}
