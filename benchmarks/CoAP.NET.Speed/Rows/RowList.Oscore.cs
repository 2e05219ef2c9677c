using System.Globalization;
using CoAP.NET.Bench;
using CoAP.NET.Speed.Loops;
using CoAP.NET.Speed.Report;
using CoAP.NET.Speed.Servers;

namespace CoAP.NET.Speed.Rows;

// OSCORE. The first one of a row is the same server without it, and the last one DTLS.
internal sealed partial class RowList
{
    private Row Protected(string name, int clients) =>
        new(name, $"{Text(clients)} {(clients == 1 ? "client" : "clients")}", RowGroup.Protected,
        [
            new(Role.Beside, "CoAP.NET" + MarkdownReport.Unprotected, () => Datagrams(StartProtected(clients), clients, 0)),
            new(Role.Beside, "OSCORE, AES-CCM-16-64-128", () =>
            {
                Child child = StartProtected(clients);
                DatagramLoop loop = new(child.Endpoints[0], clients, Hello, s_hello, hasOwnSockets: hasOwnSockets,
                    contexts: [.. Enumerable.Range(0, clients).Select(i => new ProtectedPeer(i))]);
                return new(seconds => loop.Run(seconds, () => child.Cpu).Figures, loop, child);
            }),
            new(Role.Beside, "DTLS, AES_128_CCM_8", () =>
                servers.StartSecure() is var child
                    ? Secured(child, child.Endpoints[1], clients, new SecureClient(SecureClient.PskCcm8)) : null!),
        ]);

    private static Child StartProtected(int contexts) => Child.StartSelf(
        Processors.Measured, 1, OscoreProgram.Verb, "--contexts", contexts.ToString(CultureInfo.InvariantCulture));
}
