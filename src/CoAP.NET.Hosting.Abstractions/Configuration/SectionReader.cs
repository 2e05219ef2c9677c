using System.Globalization;
using Microsoft.Extensions.Configuration;

namespace CoAP.NET.Hosting;

/// <summary>
/// Reads a configuration section by a table of keys: without reflection, so that trimming and AOT work, and with an error for each mistake.
/// </summary>
internal static class SectionReader
{
    /// <summary>The replacement of a secret in messages.</summary>
    public const string Hidden = "***";

    // A search below an item looks at all keys of the configuration, so that a search of all items takes the square of their number.
    // Programs write such long lists, and make the same mistake in each item.
    private const int MaxSearchedItems = 500;

    private static readonly string[] s_secrets = [":Password", ":PskKey", ":Psk", "IdentityKey", "Secret"];
    private static readonly char[] s_separators = [';', ','];

    /// <summary>Reads a section, and finds its unknown keys.</summary>
    /// <param name="section">The section.</param>
    /// <param name="table">Its keys.</param>
    /// <param name="target">Receives the values.</param>
    /// <param name="findings">Receives the errors.</param>
    /// <param name="parts">The parts that read keys of their own in the section; null for none.</param>
    /// <returns>The keys that the section has, with their values.</returns>
    public static List<(ConfigurationKey<TTarget> Key, string[] Values)> Read<TTarget>(IConfiguration section, KeyTable<TTarget> table,
        TTarget target, ConfigurationFindings findings, IReadOnlyCollection<HostedPart>? parts = null)
    {
        List<(ConfigurationKey<TTarget> Key, string[] Values)> present = ReadKnown(section, table, target, findings);
        if (findings.SeeksUnknownKeys)
        {
            parts ??= [];
            new UnknownKeys(
                [.. table.Paths, .. parts.SelectMany(static part => part.Keys)],
                [.. table.ItemPaths, .. parts.SelectMany(static part => part.Items)],
                section is IConfigurationSection { Path: var root } ? root : "", findings).Find(section);
        }

        return present;
    }

    /// <summary>Reads the keys of a table in a section that has other keys, too.</summary>
    /// <param name="section">The section.</param>
    /// <param name="table">The keys.</param>
    /// <param name="target">Receives the values.</param>
    /// <param name="findings">Receives the errors.</param>
    /// <returns>The keys that the section has, with their values.</returns>
    public static List<(ConfigurationKey<TTarget> Key, string[] Values)> ReadKnown<TTarget>(
        IConfiguration section, KeyTable<TTarget> table, TTarget target, ConfigurationFindings findings)
    {
        bool isChecked = findings.SeeksUnknownKeys;
        List<(ConfigurationKey<TTarget> Key, string[] Values)> present = [];
        foreach (ConfigurationKey<TTarget> key in table.Keys)
        {
            IConfigurationSection found = section.GetSection(key.Path);
            (string Path, string Text)[] values = [.. !key.IsList ? ValueOf(found) : isChecked ? ListOf(found) : NumberedOf(found)];
            if (values.Length == 0)
            {
                continue;
            }

            string[] texts = [.. values.Select(static value => value.Text)];
            present.Add((key, texts));
            foreach ((int index, string problem) in key.Set(target, texts))
            {
                // Never shows a password, should one get here.
                string shown = ShownOf(key.Path, values[index].Text);
                findings.Errors.Add($"{ShownText.Of(values[index].Path)} = '{shown}': {problem}");
            }
        }

        foreach ((string path, Action<TTarget, IConfigurationSection, ConfigurationFindings> read) in table.Items)
        {
            int number = 0;
            foreach (IConfigurationSection item in section.GetSection(path).GetChildren())
            {
                findings.SeeksUnknownKeys = isChecked && number++ < MaxSearchedItems;
                read(target, item, findings);
            }

            findings.SeeksUnknownKeys = isChecked;
        }

        return present;
    }

    /// <summary>Returns a value as messages may show it.</summary>
    public static string ShownOf(string path, string value) =>
        s_secrets.Any(secret => path.EndsWith(secret, StringComparison.OrdinalIgnoreCase)) ? Hidden : ShownText.Of(value);

    private static IEnumerable<(string Path, string Text)> ValueOf(IConfigurationSection section)
    {
        if (!string.IsNullOrWhiteSpace(section.Value))
        {
            yield return (section.Path, section.Value.Trim());
        }
    }

    // An array, or one text as in environment variables and command lines. The text has priority over the array, so it can override the
    // array of a file.
    private static IEnumerable<(string Path, string Text)> ListOf(IConfigurationSection section)
    {
        if (!string.IsNullOrWhiteSpace(section.Value))
        {
            return TextsOf(section);
        }

        return section.GetChildren().Where(static item => !string.IsNullOrWhiteSpace(item.Value))
            .Select(static item => (item.Path, item.Value!.Trim()));
    }

    // The same without an enumeration of keys, for the items of long lists.
    private static IEnumerable<(string Path, string Text)> NumberedOf(IConfigurationSection section)
    {
        if (!string.IsNullOrWhiteSpace(section.Value))
        {
            return TextsOf(section);
        }

        return Enumerable.Range(0, int.MaxValue)
            .Select(index => section.GetSection(index.ToString(CultureInfo.InvariantCulture)))
            .TakeWhile(static item => item.Value is not null)
            .Where(static item => !string.IsNullOrWhiteSpace(item.Value))
            .Select(static item => (item.Path, item.Value!.Trim()));
    }

    private static IEnumerable<(string Path, string Text)> TextsOf(IConfigurationSection section) =>
        section.Value!.Split(s_separators, StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries)
            .Select(text => (section.Path, text));
}
