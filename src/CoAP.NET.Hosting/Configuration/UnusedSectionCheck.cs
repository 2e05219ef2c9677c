using CoAP.NET.Diagnostics;
using CoAP.NET.Hosting.Parts;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Hosting.Configuration;

/// <summary>
/// Warns at the start of sections without effect, because their name is misspelled or code added no server or client with it. It only
/// warns: several programs may share a file.
/// </summary>
internal sealed class UnusedSectionCheck(IServiceProvider services, IEnumerable<HostedRegistration> all) : IHostedService
{
    // The package CoAP.NET.Cluster reads this section.
    private const string Cluster = "Cluster";

    private static readonly string[] s_groups = ["Server", "Servers", "Client", "Clients", "Proxy", "Proxies", Cluster];

    private readonly ILogger _logger = (services.GetService<ILoggerFactory>() ?? NullLoggerFactory.Instance)
        .CreateLogger(HostingLog.Category);

    public Task StartAsync(CancellationToken cancellationToken)
    {
        if (services.GetService<IConfiguration>() is { } configuration)
        {
            ConfigurationFindingList<UnusedConfigurationKey> unused = NewList();
            Find(unused, configuration.GetSection("Coap"), NamesOf(HostedRegistration.Server),
                NamesOf(HostedRegistration.Client), NamesOf(HostedRegistration.Proxy));
            foreach (UnusedConfigurationKey section in unused.First)
            {
                HostingLog.UnusedSection(_logger, section.Path, section.Reason);
            }

            if (unused.MoreCount > 0)
            {
                HostingLog.MoreUnused(_logger, unused.MoreCount, unused.Kind);
            }
        }

        return Task.CompletedTask;

        string[] NamesOf(string kind) => [.. all.Where(one => one.Kind == kind).Select(static one => one.Name)];
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>Creates an empty list for <see cref="Find"/>.</summary>
    public static ConfigurationFindingList<UnusedConfigurationKey> NewList() =>
        new("sections that configure nothing", static section => $"{section.Path} configures nothing: {section.Reason}");

    /// <summary>Finds the sections of a configuration without effect.</summary>
    public static void Find(
        ConfigurationFindingList<UnusedConfigurationKey> unused, IConfigurationSection all, string[] servers, string[] clients,
        params string[] proxies)
    {
        foreach (IConfigurationSection section in all.GetChildren())
        {
            string? group = s_groups.FirstOrDefault(group => group.Equals(section.Key, StringComparison.OrdinalIgnoreCase));
            if (group is null)
            {
                if (s_groups.MinBy(group => EditDistance.Of(group, section.Key)) is { } near && EditDistance.Of(near, section.Key) <= 2)
                {
                    unused.Add(section, one => new UnusedConfigurationKey(
                        ConfigurationTextFormatter.Of(one.Path), $"its name is unknown. Did you mean {all.Path}:{near}?"));
                }

                continue;
            }

            if (group == Cluster)
            {
                continue;
            }

            (string kind, string plural, string[] names) = group[0] switch
            {
                'S' => ("server", "Servers", servers),
                'C' => ("client", "Clients", clients),
                _ => ("proxy", "Proxies", proxies),
            };
            if (names.Length == 0)
            {
                continue;
            }

            if (group != plural)
            {
                if (!names.Contains(""))
                {
                    unused.Add(section, one => new UnusedConfigurationKey(
                        one.Path,
                        $"the {plural.ToLowerInvariant()} that were added have names, such as "
                            + $"{all.Path}:{plural}:{ConfigurationTextFormatter.Of(names[0])}."));
                }

                continue;
            }

            foreach (IConfigurationSection named in section.GetChildren()
                .Where(named => !names.Contains(named.Key, StringComparer.OrdinalIgnoreCase)))
            {
                unused.Add(named, one => Explain(one, section, all, kind, names));
            }
        }
    }

    private static UnusedConfigurationKey Explain(
        IConfigurationSection named, IConfigurationSection section, IConfigurationSection all, string kind, string[] names)
    {
        string? near = names.Where(static name => name.Length > 0).MinBy(name => EditDistance.Of(name, named.Key));
        string hint = near is not null && EditDistance.Of(near, named.Key) <= Math.Max(2, near.Length / 3)
            ? $" Did you mean {section.Path}:{ConfigurationTextFormatter.Of(near)}?"
            : near is null ? $" The {kind} without a name is configured by {all.Path}:{char.ToUpperInvariant(kind[0])}{kind[1..]}." : "";
        return new UnusedConfigurationKey(ConfigurationTextFormatter.Of(named.Path), $"no {kind} was added by this name.{hint}");
    }
}
