using System.Net;
using CoAP.NET.Bench;
using CoAP.NET.Speed.Loops;
using CoAP.NET.Speed.Servers;

namespace CoAP.NET.Speed.Rows;

// DTLS and TLS. Those who take part in a row follow the one without that they are compared with.
internal sealed partial class RowList
{
    private Row Secure(string name, int sessions)
    {
        Entrant Sessions(string title, string suite, bool withCid = true) => new(Role.Beside, title, () =>
            servers.StartSecure() is var child ? Secured(child, child.Endpoints[1], sessions, new SecureClient(suite, withCid)) : null!);
        List<Entrant> entrants =
        [
            new(Role.Beside, "CoAP.NET" + Report.MarkdownReport.Plain, () => Datagrams(servers.StartSecure(), sessions, 0)),
            Sessions("AES_128_CCM_8", SecureClient.PskCcm8),
            Sessions("AES_128_GCM", SecureClient.PskGcm),
            Sessions("AES_128_CCM_8, without Connection ID", SecureClient.PskCcm8, withCid: false),
        ];
        if (servers.HasSecureLibCoap)
        {
            entrants.Add(new(Role.LibCoap, "libcoap" + Report.MarkdownReport.Plain, () =>
            {
                (Child child, IPEndPoint endpoint, _) = servers.StartSecureLibCoap();
                return Datagrams(child, sessions, 0, endpoint);
            }));
            entrants.Add(LibCoap("libcoap, AES_128_CCM_8", SecureClient.PskCcm8));
            entrants.Add(LibCoap("libcoap, AES_128_GCM", SecureClient.PskGcm));
        }

        return new(name, $"{Text(sessions)} {(sessions == 1 ? "session" : "sessions")}", RowGroup.Secure, entrants);

        Entrant LibCoap(string title, string suite) => new(Role.LibCoap, title, () =>
        {
            (Child child, _, IPEndPoint endpoint) = servers.StartSecureLibCoap();
            return Secured(child, endpoint, sessions, new SecureClient(suite));
        });
    }

    private Row Tls(string name, int connections)
    {
        Entrant Ours(string title, bool isSecure) => new(Role.Beside, title, () =>
            servers.StartTls() is var child
                ? Streams(child, child.Endpoints[isSecure ? 1 : 0], Coap(), connections, isSecure: isSecure) : null!);
        Entrant Kestrel(string title, bool isSecure) => new(Role.Beside, title, () =>
        {
            string[] proof = isSecure ? ["--cert", servers.Files.Certificate, "--key", servers.Files.Key] : [];
            Child child = Child.StartSelf(Processors.Measured, 1, [HttpServer.Verb, .. proof]);
            return Streams(child, child.Endpoints[0], new HttpStreamProtocol(["/" + Hello], HelloText, false), connections,
                isSecure: isSecure);
        });
        List<Entrant> entrants =
        [
            Ours("CoAP.NET" + Report.MarkdownReport.WithoutTls, isSecure: false),
            Ours("coaps+tcp", isSecure: true),
            Kestrel("HTTP on Kestrel" + Report.MarkdownReport.WithoutTls, isSecure: false),
            Kestrel("HTTPS on Kestrel", isSecure: true),
        ];
        if (servers.HasSecureLibCoap)
        {
            entrants.Add(LibCoap("libcoap" + Report.MarkdownReport.WithoutTls, isSecure: false));
            entrants.Add(LibCoap("libcoap, coaps+tcp", isSecure: true));
        }

        return new(name, $"{Text(connections)} connections", RowGroup.Tls, entrants);

        Entrant LibCoap(string title, bool isSecure) => new(Role.LibCoap, title, () =>
        {
            (Child child, IPEndPoint endpoint, IPEndPoint secure) = servers.StartSecureLibCoap(CoapServers.Credentials.Certificate);
            return Streams(child, isSecure ? secure : endpoint, Coap(), connections, isSecure: isSecure);
        });
    }

    private static Contender Secured(Child child, IPEndPoint endpoint, int sessions, SecureClient client)
    {
        DatagramLoop loop = new(endpoint, sessions, Hello, s_hello, client: client);
        return new(seconds => loop.Run(seconds, () => child.Cpu).Figures, loop, child);
    }

    private Row Handshakes(string name, int peers)
    {
        List<Entrant> entrants =
        [
            Entrant("pre-shared key", () => servers.StartSecure(), () => new SecureClient(SecureClient.PskCcm8)),
            Entrant("ECDSA, the server's certificate", () => servers.StartSecure(CoapServers.Credentials.Certificate),
                () => new SecureClient(SecureClient.EcdsaCcm8)),
            Entrant("ECDSA, certificates of both", () => servers.StartSecure(CoapServers.Credentials.Both),
                () => new SecureClient(SecureClient.EcdsaCcm8, certificate: servers.Files.ClientCertificate)),
        ];
        if (servers.HasSecureLibCoap)
        {
            entrants.Add(LibCoap("libcoap, pre-shared key", CoapServers.Credentials.Key, SecureClient.PskCcm8));
            entrants.Add(LibCoap("libcoap, ECDSA, the server's certificate", CoapServers.Credentials.Certificate, SecureClient.EcdsaCcm8));
        }

        return new(name, $"{Text(peers)} under way", RowGroup.Handshakes, entrants);

        Entrant Entrant(string title, Func<Child> start, Func<SecureClient> client) =>
            new(Role.Beside, title, () => start() is var child ? Opening(child, child.Endpoints[1], client()) : null!);
        Entrant LibCoap(string title, CoapServers.Credentials credentials, string suite) => new(Role.LibCoap, title, () =>
        {
            (Child child, _, IPEndPoint endpoint) = servers.StartSecureLibCoap(credentials);
            return Opening(child, endpoint, new SecureClient(suite));
        });
        Contender Opening(Child child, IPEndPoint endpoint, SecureClient client)
        {
            HandshakeLoop loop = new(endpoint, peers, client);
            return new(seconds => loop.Run(seconds, () => child.Cpu).Figures, loop, child);
        }
    }
}
