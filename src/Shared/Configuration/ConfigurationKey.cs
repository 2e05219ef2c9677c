namespace CoAP.NET.Hosting;

/// <summary>
/// A key of a configuration section: how its value is read, and what it is without one. The page of the documentation is checked against
/// these.
/// </summary>
/// <typeparam name="TTarget">The options that it sets.</typeparam>
/// <param name="path">The key below the section, with colons.</param>
/// <param name="allowed">What is allowed, for people.</param>
internal abstract class ConfigurationKey<TTarget>(string path, string allowed)
{
    public string Path { get; } = path;

    public string Allowed { get; } = allowed;

    /// <summary>Whether it has several values.</summary>
    public virtual bool IsList => false;

    /// <summary>The value of options, as it would be written in configuration.</summary>
    public abstract string ValueOf(TTarget target);

    /// <summary>Sets the values; a single one unless it is a list. Gives what is wrong with each that is not allowed.</summary>
    public abstract IEnumerable<(int Index, string Problem)> Set(TTarget target, IReadOnlyList<string> values);
}
