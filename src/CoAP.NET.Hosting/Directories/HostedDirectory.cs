namespace CoAP.NET.Hosting;

/// <summary>A resource directory with which a hosted server registers, and what it registers there.</summary>
/// <param name="uri">The directory.</param>
/// <param name="options">What is registered; changed by code until the server starts.</param>
internal sealed class HostedDirectory(string uri, CoapRegistrationOptions options)
{
    /// <summary>Where the directory is looked for.</summary>
    public string Uri => uri;

    /// <summary>What is registered there.</summary>
    public CoapRegistrationOptions Options => options;

    /// <summary>What code says of it, with the services of the application.</summary>
    public IList<Action<CoapRegistrationOptions, IServiceProvider>> Steps { get; } = [];

    /// <summary>Says what is wrong with the URI of a directory; null for nothing.</summary>
    public static string? Check(string uri) =>
        !CoapUri.TryParse(uri, out CoapUri? parsed, out string? error) ? error
            : parsed.Port == 0 ? "It has port 0, which nothing can be sent to."
            : null;
}
