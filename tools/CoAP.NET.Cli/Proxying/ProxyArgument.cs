using System.CommandLine;

namespace CoAP.NET.Cli.Proxying;

internal static class ProxyArgument
{
    public static Option<string?> Create()
    {
        Option<string?> option = new("--proxy", "-P")
        {
            Description = "Send to this proxy, with the URI as Proxy-Uri, or Proxy-Scheme if it requires that: coap://host[:port], coaps, "
                + "coap+tcp, coaps+tcp, coap+ws or coaps+ws. The URI may then be one of http:// or https:// too.",
            HelpName = "URI",
        };
        option.CompletionSources.Add(TargetArgument.Schemes);
        return option;
    }

    /// <summary>Returns the proxy of a command line; null for none.</summary>
    /// <exception cref="UsageException">The option is invalid.</exception>
    public static CoapUri? Read(ParseResult parse, Option<string?> option)
    {
        if (parse.GetValue(option) is not { } text)
        {
            return null;
        }

        if (TargetArgument.IsHttp(text))
        {
            throw new UsageException(
                "--proxy is for CoAP proxies, but a proxy URI with http is for HTTP.",
                "A proxy of RFC 8075 takes the target after its own URI: curl "
                    + $"'{text.TrimEnd('/')}/{TargetArgument.TextOf(parse) ?? "coap://host/path"}'");
        }

        CoapUri proxy = TargetArgument.Check(text);
        return proxy.PathSegments.Count == 0 && proxy.QueryArguments.Count == 0
            ? proxy
            : throw new UsageException($"{text} in --proxy names a resource, but a proxy is a host.",
                $"Leave out path and query: --proxy {proxy.Scheme}://{proxy.Authority}");
    }
}
