using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;

namespace CoAP.NET.Hosting;

/// <summary>Reads the configuration of one server into its options, before any code of the user.</summary>
internal sealed class ConfigureServer(ServerRegistration registration, IConfiguration? configuration)
    : IConfigureNamedOptions<CoapServerOptions>
{
    public void Configure(string? name, CoapServerOptions options)
    {
        if (name == registration.Name && (registration.Section ?? configuration?.GetSection(registration.DefaultPath)) is { } section)
        {
            SectionReader.Read(section, ServerKeys.Table, options, options.Findings);
        }
    }

    public void Configure(CoapServerOptions options) => Configure("", options);
}
