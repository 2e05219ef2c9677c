using CoAP.NET.Simulation.Attack;

namespace CoAP.NET.Simulation.Simulate.Proxies;

/// <summary>Looks at the datagrams of proxies: a token that waits for an answer stands for one request.</summary>
/// <param name="plant">The planted defect; null for none.</param>
/// <param name="violate">Takes what must not be.</param>
internal sealed class ProxyWire(string? plant, Action<ProxyCheck, string> violate)
{
    private readonly ConcurrentDictionary<(CoapAddress From, CoapAddress To, CoapToken Token), string> _waiting = [];

    public NetworkVerdict OnPacket(NetworkPacket packet)
    {
        // Sessions of coaps have tokens of their own.
        if (packet.From.Port is ProxyHop.ForwardPort or ProxyHop.ReversePort)
        {
            CoapMessage message = Forged.Read(packet.Data.Span);
            if (message.Code is { Class: 0, Detail: > 0 })
            {
                return OnRequest(packet, message);
            }
        }
        else if (packet.To.Port is ProxyHop.ForwardPort or ProxyHop.ReversePort)
        {
            CoapMessage message = Forged.Read(packet.Data.Span);
            if (message.Code.Class > 0)
            {
                _waiting.TryRemove((packet.To, packet.From, message.Token), out _);
            }
        }

        return NetworkVerdict.Pass;
    }

    private NetworkVerdict OnRequest(NetworkPacket packet, CoapMessage message)
    {
        NetworkVerdict verdict = NetworkVerdict.Pass;
        CoapToken token = message.Token;
        if (plant == "reused-token" && packet.Data.Length >= 8 && message.Token.Length >= 4)
        {
            byte[] changed = packet.Data.ToArray();
            changed.AsSpan(4, message.Token.Length).Fill(1);
            token = Forged.Read(changed).Token;
            verdict = NetworkVerdict.Replace(changed);
        }

        string target = $"{message.Code} {message.Options.ProxyUri} /{string.Join('/', message.Options.UriPath)}";
        string before = _waiting.GetOrAdd((packet.From, packet.To, token), target);
        if (before != target)
        {
            violate(ProxyCheck.Tokens, $"{packet.From} asks {packet.To} by token {token} for '{target}' and for '{before}'");
        }

        return verdict;
    }
}
