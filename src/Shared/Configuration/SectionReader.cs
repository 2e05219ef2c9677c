using Microsoft.Extensions.Configuration;

namespace CoAP.NET.Hosting;

/// <summary>
/// Reads a configuration section by a table of keys: without reflection, so that trimming and AOT work, and with an error for each mistake.
/// </summary>
internal static class SectionReader
{
    /// <summary>The replacement of a secret in messages.</summary>
    public const string Hidden = "***";

    private static readonly string[] s_secrets = [":Password", ":PskKey", ":Psk", "IdentityKey", "Secret"];
    private static readonly char[] s_separators = [';', ','];

    public static void Read<TTarget>(IConfiguration section, KeyTable<TTarget> table, TTarget target, ConfigurationFindings findings)
    {
        string root = section is IConfigurationSection { Path: var self } ? self : "";
        foreach (ConfigurationKey<TTarget> key in table.Keys)
        {
            IConfigurationSection found = section.GetSection(key.Path);
            (string Path, string Text)[] values = [.. key.IsList ? ListOf(found) : ValueOf(found)];
            if (values.Length == 0)
            {
                continue;
            }

            foreach ((int index, string problem) in key.Set(target, [.. values.Select(static value => value.Text)]))
            {
                // Never shows a password, should one get here.
                string shown = ShownOf(key.Path, values[index].Text);
                findings.Errors.Add($"{values[index].Path} = '{shown}': {problem}");
            }
        }

        foreach ((string path, Action<TTarget, IConfigurationSection, ConfigurationFindings> read) in table.Items)
        {
            foreach (IConfigurationSection item in section.GetSection(path).GetChildren())
            {
                read(target, item, findings);
            }
        }

        new UnknownKeys([.. table.Keys.Select(static key => (key.Path, key.IsList))], [.. table.Items.Select(static item => item.Path)],
            root, findings).Find(section);
    }

    /// <summary>Returns a value as messages may show it.</summary>
    public static string ShownOf(string path, string value) =>
        s_secrets.Any(secret => path.EndsWith(secret, StringComparison.OrdinalIgnoreCase)) ? Hidden : value;

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
            return section.Value.Split(s_separators, StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries)
                .Select(text => (section.Path, text));
        }

        return section.GetChildren().Where(static item => !string.IsNullOrWhiteSpace(item.Value))
            .Select(static item => (item.Path, item.Value!.Trim()));
    }
}
