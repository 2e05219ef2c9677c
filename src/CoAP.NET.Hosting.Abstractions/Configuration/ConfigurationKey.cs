namespace CoAP.NET.Hosting;

/// <summary>
/// A key of a configuration section: how to read its value, and its default. A check compares the documentation page with these.
/// </summary>
/// <typeparam name="TTarget">The options that it sets.</typeparam>
/// <param name="path">The key below the section, with colons.</param>
/// <param name="allowed">The allowed values, human-readable.</param>
internal abstract class ConfigurationKey<TTarget>(string path, string allowed)
{
    public string Path { get; } = path;

    public string Allowed { get; } = allowed;

    /// <summary>Whether it has several values.</summary>
    public virtual bool IsList => false;

    /// <summary>Returns the value of options as configuration text.</summary>
    public abstract string ValueOf(TTarget target);

    /// <summary>Sets the values; a single one unless it is a list. Returns the error of each invalid value.</summary>
    public abstract IEnumerable<(int Index, string Problem)> Set(TTarget target, IReadOnlyList<string> values);
}
