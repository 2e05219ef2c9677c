using System.CommandLine;
using CoAP.NET.Cli.Proxying;

namespace CoAP.NET.Cli.CommandLine;

/// <summary>The request options other than its payload: options, type, token and time.</summary>
internal sealed class MessageOptions
{
    public Option<CoapContentFormat?> Accept { get; } = ContentFormatParser.Option("--accept",
        "The requested format: a number, a media type, or a name such as json.", "-A");

    public Option<bool> NonConfirmable { get; } = new("--non", "-N") { Description = "Send Non-confirmable messages." };

    public Option<string?> Token { get; } = new("--token", "-T")
    {
        Description = "The token of the first message; later ones count up.",
        HelpName = "HEX"
    };

    public Option<string[]> Options { get; } = new("--option", "-O")
    {
        Description = "Add an option: NUMBER=VALUE or NAME=VALUE with text, 0xHEX or a number. May be repeated.",
        HelpName = "NAME=VALUE",
    };

    public Option<string[]> ETag { get; } = new("--etag")
    {
        Description = "Validate: expect 2.03 if the resource still has this ETag. May be repeated.",
        HelpName = "HEX"
    };

    public Option<string[]> IfMatch { get; } = new("--if-match")
    {
        Description = "Only if the resource has this ETag; * for any that exists. May be repeated.",
        HelpName = "HEX"
    };

    public Option<bool> IfNoneMatch { get; } = new("--if-none-match") { Description = "Only if the resource does not exist." };

    public Option<int?> HopLimit { get; } = CommandExtensions.Number("--hop-limit",
        "Maximum number of proxies that the request passes (Hop-Limit, RFC 8768).", 1, 255, "-H");

    public Option<string?> Proxy { get; } = ProxyArgument.Create();

    public Option<bool> NoUriHost { get; } = new("--no-uri-host", "-U") { Description = "Send neither Uri-Host nor Uri-Port." };

    public Option<TimeSpan?> Timeout { get; } = DurationParser.PositiveOption("--timeout",
        $"Timeout of the whole request. Default: as long as the protocol tries ({ProtocolTimes.Transmission} and more); 10s for a group.",
        "-B");

    public void AddTo(GroupedHelpCommand command)
    {
        command.AddGroup(HelpGroup.Request, Accept, ETag, IfMatch, IfNoneMatch, Options, Proxy, Timeout);
        command.AddGroup(HelpGroup.Message, NonConfirmable, Token, HopLimit, NoUriHost);
        Options.CompletionSources.Add(_ => MessageOptionParser.Names.Select(name => name + "="));
    }

    /// <summary>Returns the first token; null for the library's own.</summary>
    public byte[]? TokenOf(ParseResult parse)
    {
        byte[]? token = parse.GetValue(Token) is { } text ? HexParser.Parse(text, "--token") : null;
        return token is null or { Length: <= CoapToken.MaxLength }
            ? token
            : throw new UsageException($"A token has at most {CoapToken.MaxLength} bytes; --token has {token.Length}.");
    }

    /// <summary>Returns the destination: the proxy, or the target itself.</summary>
    public CoapUri PeerOf(ParseResult parse, string target) => ProxyOf(parse) ?? TargetArgument.Check(target);

    /// <summary>Returns the proxy; null for none.</summary>
    public CoapUri? ProxyOf(ParseResult parse) => ProxyArgument.Read(parse, Proxy);

    public CoapRequest ToRequest(ParseResult parse, CoapMethod method, string target, CoapContent? content)
    {
        CoapRequest request = new(method, target)
        {
            Content = content,
            Accept = parse.GetValue(Accept),
            Confirmable = !parse.GetValue(NonConfirmable),
            Timeout = parse.GetValue(Timeout),
        };
        foreach (string etag in parse.GetValue(ETag) ?? [])
        {
            request.Options.Add(new ETagOption(HexParser.Parse(etag, "--etag")));
        }

        foreach (string etag in parse.GetValue(IfMatch) ?? [])
        {
            request.Options.Add(new IfMatchOption(etag == "*" ? [] : HexParser.Parse(etag, "--if-match")));
        }

        if (parse.GetValue(IfNoneMatch))
        {
            request.Options.Add(OptionNumber.IfNoneMatch, default);
        }

        if (parse.GetValue(HopLimit) is { } hops)
        {
            request.Options.AddUInt(OptionNumber.HopLimit, (uint)hops);
        }

        foreach (string option in parse.GetValue(Options) ?? [])
        {
            MessageOptionParser read = MessageOptionParser.Parse(option);
            request.Options.Add(read.Number, read.Value);
        }

        return request;
    }
}
