namespace CoAP.NET.Options;

/// <summary>The factories of every option class in this folder.</summary>
internal static class RegisteredOptions
{
    internal static IOptionFactory[] CreateFactories() =>
    [
        new OptionFactory<UriPath>(),
    ];
}
