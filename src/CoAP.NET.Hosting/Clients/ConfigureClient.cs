using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;

namespace CoAP.NET.Hosting;

/// <summary>Reads the configuration of one client into its options, before any code of the user.</summary>
internal sealed class ConfigureClient(ClientRegistration registration, IConfiguration? configuration)
    : IConfigureNamedOptions<CoapClientOptions>
{
    public void Configure(string? name, CoapClientOptions options)
    {
        if (name == registration.Name && (registration.Section ?? configuration?.GetSection(registration.DefaultPath)) is { } section)
        {
            SectionReader.Read(section, ClientKeys.Table, options, options.Findings);
        }
    }

    public void Configure(CoapClientOptions options) => Configure("", options);
}
