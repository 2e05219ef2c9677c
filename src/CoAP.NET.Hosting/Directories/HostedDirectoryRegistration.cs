using CoAP.NET.ResourceDirectory;

namespace CoAP.NET.Hosting.Directories;

/// <summary>A resource directory of a hosted server, with the registration there.</summary>
/// <param name="uri">The directory.</param>
/// <param name="options">The registration; code may change it until the server starts.</param>
internal sealed class HostedDirectoryRegistration(string uri, CoapRegistrationOptions options)
{
    public string Uri => uri;

    public CoapRegistrationOptions Options => options;

    /// <summary>The functions of code that change the registration, with the services of the application.</summary>
    public IList<Action<CoapRegistrationOptions, IServiceProvider>> Steps { get; } = [];

    /// <summary>Returns the problem of a directory's URI; null for none.</summary>
    public static string? Check(string uri) =>
        !CoapUri.TryParse(uri, out CoapUri? parsed) ? CoapUri.ProblemOf(uri)
            : parsed.Port == 0 ? "It has port 0, which is not a destination."
            : null;
}
