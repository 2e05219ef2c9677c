using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;

namespace CoAP.NET.Hosting;

/// <summary>Reads the configuration of one proxy into its options, before any code of the user.</summary>
internal sealed class ConfigureProxy(ProxyRegistration registration, IConfiguration? configuration)
    : IConfigureNamedOptions<CoapHostedProxyOptions>
{
    public void Configure(string? name, CoapHostedProxyOptions options)
    {
        if (name == registration.Name && (registration.Section ?? configuration?.GetSection(registration.DefaultPath)) is { } section)
        {
            SectionReader.Read(section, ProxyKeys.Table, options, options.Findings);
        }
    }

    public void Configure(CoapHostedProxyOptions options) => Configure("", options);
}
