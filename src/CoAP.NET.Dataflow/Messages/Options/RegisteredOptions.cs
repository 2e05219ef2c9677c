namespace CoAP.NET.Options;

/// <summary>The factories of every option class in this folder.</summary>
internal static class RegisteredOptions
{
    internal static IOptionFactory[] CreateFactories() =>
    [
        new OptionFactory<IfMatch>(),
        new OptionFactory<UriHost>(),
        new OptionFactory<ETag>(),
        new OptionFactory<IfNoneMatch>(),
        new OptionFactory<Observe>(),
        new OptionFactory<UriPort>(),
        new OptionFactory<LocationPath>(),
        new OptionFactory<Oscore>(),
        new OptionFactory<UriPath>(),
        new OptionFactory<ContentFormat>(),
        new OptionFactory<MaxAge>(),
        new OptionFactory<UriQuery>(),
        new OptionFactory<HopLimit>(),
        new OptionFactory<Accept>(),
        new OptionFactory<QBlock1>(),
        new OptionFactory<LocationQuery>(),
        new OptionFactory<Edhoc>(),
        new OptionFactory<Block2>(),
        new OptionFactory<Block1>(),
        new OptionFactory<Size2>(),
        new OptionFactory<QBlock2>(),
        new OptionFactory<ProxyUri>(),
        new OptionFactory<ProxyScheme>(),
        new OptionFactory<Size1>(),
        new OptionFactory<Echo>(),
        new OptionFactory<NoResponse>(),
        new OptionFactory<RequestTag>(),

        // Options of signalling messages (RFC 8323 section 5, RFC 8974 section 2.2.1)
        new OptionFactory<MaxMessageSize>(),
        new OptionFactory<BlockWiseTransfer>(),
        new OptionFactory<ExtendedTokenLength>(),
        new OptionFactory<Custody>(),
        new OptionFactory<AlternativeAddress>(),
        new OptionFactory<HoldOff>(),
        new OptionFactory<BadCsmOption>(),
    ];
}
