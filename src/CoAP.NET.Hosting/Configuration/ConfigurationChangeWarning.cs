using CoAP.NET.Diagnostics;
using CoAP.NET.Hosting.Parts;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Primitives;

namespace CoAP.NET.Hosting.Configuration;

/// <summary>
/// Warns when the configuration of an endpoint changes while it runs, because options take effect at the start only. It never logs values.
/// </summary>
internal sealed class ConfigurationChangeWarning : IDisposable
{
    private const int MaxNamed = 10;

    // Reading the children of a key enumerates all keys of the configuration. Changes beyond these are not reported.
    private const int MaxWatched = 2_000;

    private readonly Lock _gate = new();
    private readonly IConfiguration _section;
    private readonly string _title;
    private readonly ILogger _logger;
    private readonly IDisposable _registration;
    private Dictionary<string, string?> _values;

    private ConfigurationChangeWarning(IConfiguration section, string title, ILogger logger)
    {
        _section = section;
        _title = title;
        _logger = logger;
        _values = Read();
        _registration = ChangeToken.OnChange(section.GetReloadToken, Look);
    }

    /// <summary>Begins to watch.</summary>
    /// <param name="section">The section of the endpoint; null for none.</param>
    /// <param name="title">The name of the endpoint in messages.</param>
    /// <param name="logger">The log.</param>
    /// <returns>The watch; null without a section.</returns>
    public static ConfigurationChangeWarning? Begin(IConfiguration? section, string title, ILogger logger) =>
        section is null ? null : new ConfigurationChangeWarning(section, title, logger);

    public void Dispose() => _registration.Dispose();

    // The upper levels first: they have the single settings, and the long lists are below.
    private Dictionary<string, string?> Read()
    {
        Dictionary<string, string?> values = new(StringComparer.OrdinalIgnoreCase);
        Queue<IConfiguration> left = new([_section]);
        for (int looked = 0; looked < MaxWatched && left.TryDequeue(out IConfiguration? next); looked++)
        {
            foreach (IConfigurationSection child in next.GetChildren())
            {
                if (values.TryAdd(child.Path, child.Value))
                {
                    left.Enqueue(child);
                }
            }
        }

        return values;
    }

    private void Look()
    {
        lock (_gate)
        {
            Dictionary<string, string?> now = Read();
            string[] changed = [.. now.Keys.Union(_values.Keys, StringComparer.OrdinalIgnoreCase)
                .Where(key => now.GetValueOrDefault(key) != _values.GetValueOrDefault(key)).Order(StringComparer.OrdinalIgnoreCase)];
            _values = now;
            if (changed.Length > 0)
            {
                HostingLog.ConfigurationChanged(_logger, _title,
                    string.Join(", ", changed.Take(MaxNamed).Select(ConfigurationTextFormatter.Of))
                        + (changed.Length > MaxNamed ? ", ..." : ""));
            }
        }
    }
}
