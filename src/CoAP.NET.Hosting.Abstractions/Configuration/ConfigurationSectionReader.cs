using System.Collections;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Reflection;
using CoAP.NET.Diagnostics;
using CoAP.NET.Hosting.Parts;
using Microsoft.Extensions.Configuration;

namespace CoAP.NET.Hosting.Configuration;

/// <summary>
/// The keys of a configuration section, declared with one line for each, and their reader, with an error for each mistake. The names of the
/// keys are those of public properties, which trimming keeps.
/// </summary>
/// <typeparam name="TTarget">The options that they set.</typeparam>
/// <remarks>
/// The binder of .NET does not do: it ends at the first invalid value and shows it, also a secret; it takes times without a unit as days;
/// and it silently ignores immutable options, prefixes, converters of types and keys below a value.
/// </remarks>
internal sealed class ConfigurationSectionReader<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicProperties)] TTarget>
    : IEnumerable
{
    // Reading the children of an item enumerates all keys of the configuration, so the time for all items grows with their square.
    // Programs write such long lists, and make the same mistake in each item.
    private const int MaxSearchedItems = 500;

    private readonly string _group;
    private readonly List<ConfigurationKey<TTarget>> _keys = [];
    private readonly List<(string Path, Action<TTarget, IConfigurationSection, ConfigurationErrors> Read)> _items = [];

    /// <summary>Creates the keys of a group.</summary>
    /// <param name="group">The group, such as <c>Limits:</c>.</param>
    /// <param name="hasAllSettings">Whether each property has a key whose declaration says what its values are.</param>
    public ConfigurationSectionReader(string group = "", bool hasAllSettings = false)
    {
        _group = group;
        foreach (PropertyInfo property in hasAllSettings ? typeof(TTarget).GetProperties() : [])
        {
            if (property.CanWrite && ConfigurationValueSyntax.Of(property) is { } syntax)
            {
                Add(property.Name, syntax);
            }
        }
    }

    public IReadOnlyList<ConfigurationKey<TTarget>> Keys => _keys;

    public IEnumerable<(string Path, ConfigurationKeyShape Shape)> Paths =>
        [.. _keys.Select(static key => (key.Path, key.IsList ? ConfigurationKeyShape.List : ConfigurationKeyShape.Value)),
            .. _items.Select(static item => (item.Path, ConfigurationKeyShape.Items))];

    /// <summary>Adds a key whose values follow from the declaration of its property.</summary>
    public void Add(string name) => Add(name, ConfigurationValueSyntax.Of(PropertyOf(name))
        ?? throw new ArgumentException($"{typeof(TTarget).Name}.{name} has no range. Say the syntax of its values.", nameof(name)));

    /// <summary>Adds a key with the syntax of its value, or of each of its values.</summary>
    public void Add(string name, ConfigurationValueSyntax syntax) =>
        _keys.Add(new(_group + name, syntax, PropertyOf(name), static target => target!));

    /// <summary>Adds a key whose items have keys of their own, with the reader of an item.</summary>
    public void Add(string name, Action<TTarget, IConfigurationSection, ConfigurationErrors> read) => _items.Add((_group + name, read));

    /// <summary>Adds the keys of options inside these options.</summary>
    public void Add<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicProperties)] TInner>(
        ConfigurationSectionReader<TInner> inner, Func<TTarget, TInner> find) => _keys.AddRange(inner.Keys.Select(key => key.In(find)));

    IEnumerator IEnumerable.GetEnumerator() => _keys.GetEnumerator();

    /// <summary>Reads a section, and finds its unknown keys.</summary>
    /// <param name="section">The section.</param>
    /// <param name="target">Receives the values.</param>
    /// <param name="findings">Receives the errors.</param>
    /// <param name="parts">The parts that read keys of their own in the section; null for none.</param>
    /// <returns>The keys that the section has, with their values.</returns>
    public List<(ConfigurationKey<TTarget> Key, string[] Values)> Read(
        IConfiguration section, TTarget target, ConfigurationErrors findings, IReadOnlyCollection<HostedEndpointExtension>? parts = null)
    {
        List<(ConfigurationKey<TTarget> Key, string[] Values)> present = ReadKnown(section, target, findings);
        if (findings.SeeksUnknownKeys)
        {
            new UnknownConfigurationKeys(Paths.Concat((parts ?? []).SelectMany(static part => part.Keys)),
                section is IConfigurationSection { Path: var root } ? root : "", findings).Find(section);
        }

        return present;
    }

    /// <summary>Reads the keys of the table in a section that has other keys, too.</summary>
    /// <param name="section">The section.</param>
    /// <param name="target">Receives the values.</param>
    /// <param name="findings">Receives the errors.</param>
    /// <returns>The keys that the section has, with their values.</returns>
    public List<(ConfigurationKey<TTarget> Key, string[] Values)> ReadKnown(
        IConfiguration section, TTarget target, ConfigurationErrors findings)
    {
        bool isChecked = findings.SeeksUnknownKeys;
        List<(ConfigurationKey<TTarget> Key, string[] Values)> present = [];
        foreach (ConfigurationKey<TTarget> key in _keys)
        {
            (string Path, string Text)[] values = [.. ValuesOf(section.GetSection(key.Path), key.IsList, isChecked)];
            if (values.Length == 0)
            {
                continue;
            }

            string[] texts = [.. values.Select(static value => value.Text)];
            present.Add((key, texts));
            foreach ((int index, string problem) in key.Set(target, texts))
            {
                // Never shows a secret, should one get here. The setter of an option may quote its value.
                string value = ConfigurationTextFormatter.Of(key.Path, texts[index]);
                string shown = value == ConfigurationTextFormatter.Hidden ? problem.Replace(texts[index], value, StringComparison.Ordinal)
                    : problem;
                findings.Errors.Add($"{ConfigurationTextFormatter.Of(values[index].Path)} = '{value}': {shown}");
            }
        }

        foreach ((string path, Action<TTarget, IConfigurationSection, ConfigurationErrors> read) in _items)
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

    // A list is an array, or one text as in environment variables and command lines. The text has priority over the array, so it can
    // override the array of a file. An enumeration of keys is too slow for the items of long lists, whose arrays are read by number.
    private static IEnumerable<(string Path, string Text)> ValuesOf(IConfigurationSection section, bool isList, bool enumerates)
    {
        if (!string.IsNullOrWhiteSpace(section.Value))
        {
            return (isList ? section.Value.Split([';', ','], StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries)
                : [section.Value.Trim()]).Select(text => (section.Path, text));
        }

        IEnumerable<IConfigurationSection> items = !isList ? [] : enumerates ? section.GetChildren()
            : Enumerable.Range(0, int.MaxValue).Select(index => section.GetSection(index.ToString(CultureInfo.InvariantCulture)))
                .TakeWhile(static item => item.Value is not null);
        return items.Where(static item => !string.IsNullOrWhiteSpace(item.Value)).Select(static item => (item.Path, item.Value!.Trim()));
    }

    private static PropertyInfo PropertyOf(string name) => typeof(TTarget).GetProperty(name)!;
}
