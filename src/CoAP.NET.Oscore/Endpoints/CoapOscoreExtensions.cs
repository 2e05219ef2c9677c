using CoAP.NET.Hosting;
using CoAP.NET.Oscore;

namespace CoAP.NET;

/// <summary>Gives clients and servers their security contexts of OSCORE (RFC 8613) from files.</summary>
/// <remarks>
/// An endpoint opens the sequence numbers beside the file, closes them when it has stopped, and wipes its keys then. One endpoint at a time
/// can use a file. <see cref="OscoreEndpointExtensions.UseOscore"/> takes contexts from elsewhere, or of several servers.
/// </remarks>
public static class CoapOscoreExtensions
{
    /// <summary>Protects the requests of a client to a server.</summary>
    /// <param name="options">The options of the endpoint.</param>
    /// <param name="uri">Scheme, host and port of the server, such as <c>coap://door.example</c>.</param>
    /// <param name="contextFile">
    /// The file with the context of this server, or a directory of aiocoap: see <see cref="OscoreContextFile"/>.
    /// </param>
    /// <returns><paramref name="options"/>.</returns>
    /// <exception cref="CoapException">
    /// The file is not readable, has an error or not one context, or another endpoint has it. The message says what to do, and contains no
    /// secret.
    /// </exception>
    /// <exception cref="ArgumentException">The URI is not valid.</exception>
    /// <exception cref="InvalidOperationException">The endpoint already has a protection.</exception>
    /// <remarks>
    /// Requests to other servers leave unprotected. Waits for the disk. The options are for one endpoint, which reads the file once.
    /// </remarks>
    public static CoapEndpointOptions UseOscore(this CoapEndpointOptions options, string uri, string contextFile)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentException.ThrowIfNullOrEmpty(uri);
        ArgumentException.ThrowIfNullOrEmpty(contextFile);
        return Use(options, contextFile, OscoreFiles.CheckOfClient(contextFile, nameof(UseOscore)),
            (contexts, file) => contexts.Add(uri, file.Only));
    }

    /// <summary>Lets a server accept the protected requests of the clients of a file.</summary>
    /// <param name="options">The options of the endpoint.</param>
    /// <param name="contextFile">
    /// The file with the contexts of all clients, or a directory of aiocoap: see <see cref="OscoreContextFile"/>.
    /// </param>
    /// <returns><paramref name="options"/>.</returns>
    /// <exception cref="CoapException">
    /// The file is not readable, has an error, or another endpoint has it. The message says what to do, and contains no secret.
    /// </exception>
    /// <exception cref="InvalidOperationException">The endpoint already has a protection.</exception>
    /// <remarks>
    /// Unprotected requests are served as before: mark routes by <see cref="OscoreRouteExtensions.RequireOscore"/>. Waits for the disk. The
    /// options are for one endpoint, which reads the file once.
    /// </remarks>
    public static CoapEndpointOptions UseOscore(this CoapEndpointOptions options, string contextFile)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentException.ThrowIfNullOrEmpty(contextFile);
        return Use(options, contextFile, OscoreFiles.Check(contextFile, nameof(UseOscore), out _), static (_, _) => { });
    }

    private static CoapEndpointOptions Use(
        CoapEndpointOptions options, string contextFile, string? problem, Action<OscoreContexts, ContextsOfFile> complete)
    {
        if (problem is not null)
        {
            throw new CoapException(problem);
        }

        OscoreContexts contexts = new();
        HostedOscore opened = new(contexts, storePath: null);
        try
        {
            opened.OpenAsync([contextFile], CancellationToken.None).GetAwaiter().GetResult();
            complete(contexts, opened.Files[0]);
            options.UseOscore(contexts);
            options.Owned.Add(opened);
            return options;
        }
        catch
        {
            opened.Dispose();
            throw;
        }
    }
}
