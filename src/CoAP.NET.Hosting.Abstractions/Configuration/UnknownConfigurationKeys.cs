using CoAP.NET.Diagnostics;
using Microsoft.Extensions.Configuration;

namespace CoAP.NET.Hosting.Configuration;

/// <summary>
/// Finds the keys of a section that no setting has. Usually they are misspelled, so the intended setting keeps its default.
/// </summary>
internal sealed class UnknownConfigurationKeys
{
    // Reading the children of a key enumerates all keys of the configuration.
    private const int MaxSearchedValues = 500;

    private readonly Dictionary<string, ConfigurationKeyShape> _known;
    private readonly string _root;
    private readonly ConfigurationErrors _findings;

    public UnknownConfigurationKeys(
        IEnumerable<(string Path, ConfigurationKeyShape Shape)> known, string root, ConfigurationErrors findings)
    {
        _known = known.ToDictionary(static key => key.Path, static key => key.Shape, StringComparer.OrdinalIgnoreCase);
        _root = root.Length == 0 ? "" : root + ":";
        _findings = findings;
    }

    public void Find(IConfiguration section)
    {
        foreach (IConfigurationSection child in section.GetChildren())
        {
            string path = child.Path[_root.Length..];
            if (_known.TryGetValue(path, out ConfigurationKeyShape shape))
            {
                if (shape == ConfigurationKeyShape.Items)
                {
                    // The reader of the items checks their keys.
                    RefuseValue(child, "it is a list of items with keys of their own.");
                }
                else
                {
                    CheckDepth(child, shape == ConfigurationKeyShape.List);
                }
            }
            else if (_known.Keys.FirstOrDefault(key => key.StartsWith(path + ":", StringComparison.OrdinalIgnoreCase)) is { } first)
            {
                RefuseValue(
                    child, $"it holds further keys, such as {ConfigurationTextFormatter.Of(_root)}{first}, and has no value itself.");
                Find(child);
            }
            else
            {
                _findings.UnknownKeys.Add(path, Explain);
            }
        }
    }

    private void RefuseValue(IConfigurationSection found, string problem)
    {
        if (!string.IsNullOrWhiteSpace(found.Value))
        {
            _findings.Errors.Add(
                $"{ConfigurationTextFormatter.Of(found.Path)} = '{ConfigurationTextFormatter.Of(found.Path, found.Value)}': {problem}");
        }
    }

    // Compares the key with all others.
    private UnusedConfigurationKey Explain(string path)
    {
        string hint = Nearest(path) is { } nearest
            ? $"Did you mean {ConfigurationTextFormatter.Of(_root)}{nearest}?"
            : $"Known are {string.Join(", ", Siblings(path))}.";
        return new UnusedConfigurationKey(ConfigurationTextFormatter.Of(_root + path), hint);
    }

    private void CheckDepth(IConfigurationSection found, bool isList)
    {
        string parent = ConfigurationTextFormatter.Of(found.Path);
        (int values, int others) = (0, 0);
        foreach (IConfigurationSection child in found.GetChildren())
        {
            if (!isList)
            {
                _findings.Errors.Add($"{ConfigurationTextFormatter.Of(child.Path)}: {parent} has a single value and nothing below it.");
            }
            else if ((child.Value is null ? others++ : values++) < MaxSearchedValues && child.GetChildren().Any())
            {
                _findings.Errors.Add(
                    $"{ConfigurationTextFormatter.Of(child.Path)}: the items of {parent} are values and have nothing below them.");
            }
        }
    }

    // The keys that are valid in this place.
    private IEnumerable<string> Siblings(string path)
    {
        string group = path[..^LastOf(path).Length];
        return _known.Keys.Where(key => key.StartsWith(group, StringComparison.OrdinalIgnoreCase))
            .Select(key => key[group.Length..].Split(':')[0]).Distinct();
    }

    // The same name in another group, or one that differs by a few letters.
    private string? Nearest(string path)
    {
        string name = LastOf(path);
        if (_known.Keys.FirstOrDefault(key => LastOf(key).Equals(name, StringComparison.OrdinalIgnoreCase)) is { } moved)
        {
            return moved;
        }

        (string? nearest, int least) = (null, int.MaxValue);
        foreach (string candidate in _known.Keys.SelectMany(WithGroups).Distinct())
        {
            int distance = Math.Min(EditDistance.Of(path, candidate),
                EditDistance.Of(name, LastOf(candidate)) + (SameGroup(path, candidate) ? 0 : 1));
            if (distance < least)
            {
                (nearest, least) = (candidate, distance);
            }
        }

        return least <= Math.Max(2, name.Length / 3) ? nearest : null;
    }

    private static string LastOf(string path) => path[(path.LastIndexOf(':') + 1)..];

    private static bool SameGroup(string path, string other) =>
        path[..^LastOf(path).Length].Equals(other[..^LastOf(other).Length], StringComparison.OrdinalIgnoreCase);

    private static IEnumerable<string> WithGroups(string path)
    {
        for (int colon = path.IndexOf(':', StringComparison.Ordinal); colon >= 0; colon = path.IndexOf(':', colon + 1))
        {
            yield return path[..colon];
        }

        yield return path;
    }
}
