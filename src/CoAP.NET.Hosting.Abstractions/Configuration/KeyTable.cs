using Microsoft.Extensions.Configuration;

namespace CoAP.NET.Hosting;

/// <summary>The keys of a configuration section, declared with one line for each.</summary>
/// <typeparam name="TTarget">The options that they set.</typeparam>
internal sealed class KeyTable<TTarget>
{
    private readonly List<ConfigurationKey<TTarget>> _keys = [];
    private readonly List<(string Path, Action<TTarget, IConfigurationSection, ConfigurationFindings> Read)> _items = [];

    public IReadOnlyList<ConfigurationKey<TTarget>> Keys => _keys;

    /// <summary>The paths of the keys, and whether they are lists.</summary>
    public IEnumerable<(string Path, bool IsList)> Paths => _keys.Select(static key => (key.Path, key.IsList));

    /// <summary>The paths of the keys whose items have keys of their own.</summary>
    public IEnumerable<string> ItemPaths => _items.Select(static item => item.Path);

    /// <summary>Keys whose items have keys of their own, with the reader of an item.</summary>
    public IReadOnlyList<(string Path, Action<TTarget, IConfigurationSection, ConfigurationFindings> Read)> Items => _items;

    public KeyTable<TTarget> Number(string path, long min, long max, Func<TTarget, long?> get, Action<TTarget, int> set) =>
        Add(new ScalarKey<TTarget, long>(path, new NumberKind(min, max), target => get(target),
            (target, value) => set(target, (int)value)));

    public KeyTable<TTarget> Bytes(string path, long min, long max, Func<TTarget, long?> get, Action<TTarget, long> set) =>
        Add(new ScalarKey<TTarget, long>(path, new BytesKind(min, max), target => get(target), set));

    public KeyTable<TTarget> Time(string path, TimeKind kind, Func<TTarget, TimeSpan?> get, Action<TTarget, TimeSpan> set) =>
        Add(new ScalarKey<TTarget, TimeSpan>(path, kind, target => get(target), set));

    public KeyTable<TTarget> Factor(string path, FactorKind kind, Func<TTarget, double?> get, Action<TTarget, double> set) =>
        Add(new ScalarKey<TTarget, double>(path, kind, target => get(target), set));

    public KeyTable<TTarget> Switch(string path, Func<TTarget, bool> get, Action<TTarget, bool> set) =>
        Add(new ScalarKey<TTarget, bool>(path, new SwitchKind(), target => get(target), set));

    public KeyTable<TTarget> Choice<TValue>(string path, Func<TTarget, TValue> get, Action<TTarget, TValue> set)
        where TValue : struct, Enum =>
        Add(new ScalarKey<TTarget, TValue>(path, new ChoiceKind<TValue>(), target => get(target), set));

    public KeyTable<TTarget> OptionalChoice<TValue>(string path, Func<TTarget, TValue?> get, Action<TTarget, TValue> set)
        where TValue : struct, Enum =>
        Add(new ScalarKey<TTarget, TValue>(path, new ChoiceKind<TValue>(), target => get(target), set));

    public KeyTable<TTarget> Text<TValue>(string path, TextKind<TValue> kind, Func<TTarget, TValue?> get, Action<TTarget, TValue> set)
        where TValue : class =>
        Add(new ScalarKey<TTarget, TValue>(path, kind, get, set));

    public KeyTable<TTarget> List<TValue>(string path, ValueKind<TValue> kind, Func<TTarget, IList<TValue>> list) =>
        Add(new ListKey<TTarget, TValue>(path, kind, list));

    public KeyTable<TTarget> ItemsOf(string path, Action<TTarget, IConfigurationSection, ConfigurationFindings> read)
    {
        _items.Add((path, read));
        return this;
    }

    public KeyTable<TTarget> Include<TInner>(KeyTable<TInner> inner, Func<TTarget, TInner> find)
    {
        _keys.AddRange(inner.Keys.Select(key => new NestedKey<TTarget, TInner>(key, find)));
        return this;
    }

    private KeyTable<TTarget> Add(ConfigurationKey<TTarget> key)
    {
        _keys.Add(key);
        return this;
    }
}
