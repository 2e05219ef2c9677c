using CoAP.NET.Proxy;
using CoAP.NET.Proxy.Forwarding;
using CoAP.NET.Proxy.Upstreams;
using CoAP.NET.RequestSteps;
using CoAP.NET.Resources;

namespace CoAP.NET.Simulation.Fuzz;

/// <summary>
/// What a proxy makes of a message: which options go on, the URI that is asked, the path of a reverse proxy and its Location, hops, keys of
/// what is shared; and what a client makes of a URI for a proxy.
/// </summary>
internal sealed class ProxyTarget : FuzzTarget
{
    private const string Base = "coap://origin.example:5690/base//inner";

    private static readonly CoapProxyOptions s_options = new() { HopLimit = 16 };
    private static readonly IPEndPoint s_destination = new(IPAddress.Parse("192.0.2.1"), 5683);
    private static readonly string[] s_basePath = ["base", "", "inner"];
    private static readonly CoapUri s_proxy = CoapUri.Parse("coaps://gateway.example:5699");

    private readonly MessageMutator _messages = new(new WireShape(IsDatagram: true));
    private readonly ByteMutator _bytes = new(s_words);
    private readonly ReverseProxyTargetMapper _reverse = new(Base) { Template = "/floor/{*path}" };
    private readonly ReverseProxyTargetMapper _http = new("http://origin.example:8080/api") { Template = "/floor/{*path}" };

    private static readonly byte[][] s_words = Words("coap://", "coaps+tcp://", "http://", "[2001:db8::1]", "floor", "..", ".", "/", "%2F",
        "%2e%2e", "?", "&", "#", "@", "gw1", " gw1 ", "base", "inner");

    public override int Share => 2000;

    public override void Mutate(FuzzBuffer buffer, FuzzRandom random, byte[] other)
    {
        if (random.OneOf(4))
        {
            _bytes.Mutate(buffer, 0, buffer.Length, random, other);
        }
        else
        {
            _messages.Mutate(buffer, 0, buffer.Length, random);
        }
    }

    public override ulong Run(byte[] input)
    {
        if (!CoapDatagramSerializer.Default.TryDeserialize(input.AsSpan(), out CoapMessage? message, out CoapFormatError error))
        {
            return (ulong)error.Rule;
        }

        bool isRequest = message.Code.IsRequest;
        if (message.Code.IsEmpty
            || OptionRules.Check(message, allowsQBlock: true, isForwarded: true) is { IsAccepted: false })
        {
            return 1;
        }

        ulong signature = isRequest ? RunRequest(message) : RunResponse(message);
        CheckHops(message.Payload);
        return signature;
    }

    private ulong RunRequest(CoapMessage message)
    {
        CoapRequestContext request = new(message, null!);
        CoapOptionCollection forwarded = new();
        bool mayPass = ForwardedOptions.TryCopy(request, forwarded, out int refused);
        CheckCopied(message.Options, forwarded, mayPass, refused, CoapOptionRegistry.Default.ForwardingInRequest);
        if (IsPlanted("proxy-traversal"))
        {
            message.Options.Add(OptionNumber.UriPath, ".."u8);
        }

        if (!mayPass)
        {
            return 2;
        }

        int hops = HopCount.Next(message.Options, s_options);
        Check(hops is >= 0 and <= 255, "hops", $"{hops}");
        ulong signature = FuzzRandom.Mix(3, CheckReverse(message.Options));
        if (OptionRules.IsProxyRequest(message.Options) && TryCompose(message, out string? target))
        {
            signature = FuzzRandom.Mix(signature, CheckForward(request, forwarded, target));
        }

        return signature;
    }

    private static bool TryCompose(CoapMessage message, out string target)
    {
        try
        {
            target = CoapUri.ComposeRequestUri(message, "coap", s_destination);
            return true;
        }
        catch (CoapFormatException)
        {
            target = "";
            return false;
        }
    }

    // What is sent on is a request for the very URI that was asked for, and all that a client can say is understood.
    private ulong CheckForward(CoapRequestContext request, CoapOptionCollection forwarded, string text)
    {
        if (!CoapUri.TryParse(text, out CoapUri? uri))
        {
            return 4;
        }

        if (uri.Port == 0)
        {
            return 5;
        }

        CoapForwardedRequest onward = new(request, default, uri.ToString(), forwarded, TimeSpan.FromSeconds(60), null, mayBeShared: false);
        CoapRequest made = CoapUpstreamClient.Make(onward);
        CoapMessage sent = RequestComposer.Copy(made);
        RequestComposer.AddTarget(sent, made.Uri!, s_destination.Address, s_destination.Port);
        Check(CoapUri.TryCompose(uri.Scheme, sent.Options, s_destination, out CoapUri? asked, out string? error)
            && (uri.ZoneId is not null || UriTarget.IsSame(asked, uri)), "forward", $"{uri} is asked as {asked?.ToString() ?? error}.");
        Check(!sent.Options.Contains(OptionNumber.ProxyUri) && !sent.Options.Contains(OptionNumber.ProxyScheme), "forward",
            "It asks for a proxy.");
        string key = RequestSharing.KeyOf(onward, withTags: true);
        Check(key == RequestSharing.KeyOf(onward, withTags: true)
            && key.Length <= RequestSharing.MaxPlain, "key", $"{key.Length} characters.");
        CheckClient(uri);
        return FuzzRandom.Mix(6, Small(uri.PathSegments.Count, 4));
    }

    private static void CheckClient(CoapUri uri)
    {
        CoapRequest plain = new(CoapMethod.Get, uri.ToString());
        foreach (bool form in (ReadOnlySpan<bool>)[false, true])
        {
            CoapRequest request = plain.WithProxy(s_proxy, form);
            CoapMessage sent = RequestComposer.Copy(request);
            RequestComposer.AddTarget(sent, s_proxy, s_destination.Address, s_proxy.Port);
            string understood = CoapUri.ComposeRequestUri(sent, "coaps", new IPEndPoint(s_destination.Address, s_proxy.Port));
            Check(CoapUri.TryParse(understood, out CoapUri? same) && (uri.ZoneId is not null || UriTarget.IsSame(same, uri)), "client",
                $"{uri} by {form} is understood as {understood}.");
        }
    }

    // Whatever stands in the path and the query, the server and the path before the catch-all are those that were configured.
    private ulong CheckReverse(CoapOptionCollection options)
    {
        IReadOnlyList<string> path = options.UriPath;
        if (path.Count == 0 || path[0] != "floor")
        {
            return 0;
        }

        string text = _reverse.For(options);
        Check(CoapUri.TryParse(text, out CoapUri? uri, out string? error), "reverse", $"{text} is no URI: {error}");
        Check(uri!.Host == "origin.example" && uri.Port == 5690, "reverse", $"{text} is another server.");
        string[] expected = [.. s_basePath, .. path.Skip(1)];
        Check(uri.PathSegments.SequenceEqual(expected), "reverse", $"{text} is not below {Base}.");
        Check(uri.QueryArguments.SequenceEqual(options.UriQuery), "reverse", $"The query of {text} is another one.");
        string http = _http.For(options);
        Check(Uri.TryCreate(http, UriKind.Absolute, out Uri? web) && web.Host == "origin.example" && web.Port == 8080
            && web.AbsolutePath.StartsWith("/api", StringComparison.Ordinal) && web.Fragment.Length == 0,
            "reverse", $"{http} leads elsewhere.");
        return 1 + Small(path.Count, 4);
    }

    private ulong RunResponse(CoapMessage message)
    {
        CoapOptionCollection passed = new();
        bool mayPass = ForwardedOptions.TryCopy(message.Options, passed, out int refused);
        CheckCopied(message.Options, passed, mayPass, refused, CoapOptionRegistry.Default.ForwardingInResponse);
        CoapResult result = new(message.Code, message.Payload);
        result.OwnOptions.AddAll(message.Options);
        string[] before = [.. result.Options.LocationPath];
        CoapOptionCollection asked = new();
        asked.Add(OptionNumber.UriPath, "floor"u8);
        asked.Add(OptionNumber.UriPath, "x"u8);
        string[] after = [.. _reverse.Relocate(result, asked).Options.LocationPath];
        bool isBelow = before.AsSpan().StartsWith(s_basePath) && !before.Any(segment => segment is "." or "..");
        Check(isBelow ? after.SequenceEqual([.. asked.UriPath.Take(1), .. before.Skip(s_basePath.Length)]) : after.Length == 0, "location",
            $"/{string.Join('/', before)} is told as /{string.Join('/', after)}.");
        return FuzzRandom.Mix(mayPass ? 20u : 21u, Small(after.Length, 4));
    }

    // Nothing is made up, nothing of one hop passes, nothing that is safe is lost, and what is unsafe and unknown stops all of it.
    private static void CheckCopied(
        CoapOptionCollection from, CoapOptionCollection to, bool mayPass, int refused, Func<int, OptionForwarding> handling)
    {
        Check(mayPass || (handling(refused) == OptionForwarding.Refuse && from.Contains(refused)), "options", $"{refused} was refused.");
        if (!mayPass)
        {
            return;
        }

        int at = 0;
        for (int i = 0; i < from.Count; i++)
        {
            int number = from.NumberAt(i);
            OptionForwarding what = handling(number);
            Check(what != OptionForwarding.Refuse, "options", $"{number} should have been refused.");
            if (what == OptionForwarding.Forward)
            {
                Check(at < to.Count && to.NumberAt(at) == number && to.ValueAt(at).SequenceEqual(from.ValueAt(i)), "options",
                    $"Option {number} was not passed on as it is.");
                at++;
            }
        }

        Check(at == to.Count, "options", "More is passed on than there was.");
    }

    private static void CheckHops(ReadOnlyMemory<byte> payload)
    {
        CoapResult passed = HopCount.Passed(payload, "gw1", out bool isLoop);
        bool isOurs = passed.Payload.Span.StartsWith("gw1"u8);
        Check(isOurs || passed.Payload.Span.SequenceEqual(payload.Span), "hops", Encoding.Latin1.GetString(passed.Payload.Span));
        Check(!isLoop || passed.Payload.Span.SequenceEqual("gw1"u8), "hops", "What others said of a loop is passed on.");
    }
}
