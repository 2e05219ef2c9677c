using CoAP.NET.Dtls.Files;

namespace CoAP.NET.Hosting.Dtls;

/// <summary>Checks the section <c>Dtls</c> of a hosted server or client against what code did.</summary>
internal static class DtlsSectionCheck
{
    private const string Scheme = "coaps";

    /// <summary>Whether code has called <see cref="CoapDtlsExtensions.UseDtls"/>.</summary>
    public static bool IsSetByCode(CoapEndpointOptions endpoint) =>
        endpoint.Transports.Factories.Any(static factory => factory.Scheme == Scheme);

    /// <summary>Returns the problems of options.</summary>
    /// <param name="files">The files and keys.</param>
    /// <param name="errors">The errors of configuration.</param>
    /// <param name="endpoint">The options of the endpoint.</param>
    /// <param name="section">The prefix of the keys in messages, such as <c>Coap:Server</c>.</param>
    /// <param name="problem">The problem of the files; null for none.</param>
    public static IEnumerable<string> Check(
        CoapDtlsFileOptions files, IEnumerable<string> errors, CoapEndpointOptions endpoint, string section, string? problem) =>
        problem is not null ? errors.Append(problem)
        : IsSetByCode(endpoint) && !files.IsEmpty
        ? errors.Append($"{section}:Dtls is set, and code called UseDtls on Endpoint. Use configuration or code, not both.")
        : errors;
}
