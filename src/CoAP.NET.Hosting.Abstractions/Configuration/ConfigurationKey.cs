using System.Collections;
using System.Globalization;
using System.Reflection;

namespace CoAP.NET.Hosting.Configuration;

/// <summary>
/// A key of a configuration section: how to read its value, and its default. A check compares the documentation page with these.
/// </summary>
/// <typeparam name="TTarget">The options that it sets.</typeparam>
/// <param name="path">The key below the section, with colons.</param>
/// <param name="syntax">The syntax of its value, or of each of its values.</param>
/// <param name="property">The property that it sets, or the list that it fills.</param>
/// <param name="find">Returns the object with the property.</param>
internal sealed class ConfigurationKey<TTarget>(
    string path, ConfigurationValueSyntax syntax, PropertyInfo property, Func<TTarget, object> find)
{
    public string Path => path;

    /// <summary>The allowed values, human-readable.</summary>
    public string Allowed => IsList ? $"list; each {syntax.Allowed}" : syntax.Allowed;

    /// <summary>Whether it has several values, which replace those of the default.</summary>
    public bool IsList => property.PropertyType.IsGenericType && property.PropertyType.GetGenericTypeDefinition() == typeof(IList<>);

    /// <summary>Returns the value of options as configuration text.</summary>
    public string ValueOf(TTarget target)
    {
        object? value = property.GetValue(find(target));
        string text = value is null ? "" : IsList ? string.Join("; ", ((IEnumerable)value).Cast<object>().Select(syntax.Format))
            : syntax.Format(value);
        return text.Length == 0 ? "none" : text;
    }

    /// <summary>Sets the values; a single one unless it is a list. Returns the error of each invalid value.</summary>
    public IEnumerable<(int Index, string Problem)> Set(TTarget target, IReadOnlyList<string> values)
    {
        object owner = find(target);
        IList? list = IsList ? (IList)property.GetValue(owner)! : null;
        list?.Clear();
        List<(int, string)> problems = [];
        for (int i = 0; i < values.Count; i++)
        {
            if (syntax.Parse(values[i]) is not { } value)
            {
                string hint = HasExponent(values[i]) ? ". Write the number without an exponent" : "";
                problems.Add((i, $"allowed is: {syntax.Allowed}{hint}"));
                continue;
            }

            try
            {
                list?.Add(value);
                if (list is null)
                {
                    Set(owner, value);
                }
            }
            catch (ArgumentException exception)
            {
                // A limit beyond a range. The parameter name means nothing to a writer of configuration.
                problems.Add((i, exception.Message.Split(" (Parameter '")[0]));
            }
        }

        return problems;
    }

    /// <summary>Returns the key for options that contain those of this one.</summary>
    public ConfigurationKey<TOuter> In<TOuter>(Func<TOuter, TTarget> inner) =>
        new(path, syntax, property, outer => find(inner(outer)));

    private static bool HasExponent(string text) =>
        text.AsSpan().IndexOfAny('e', 'E') > 0 && double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out _);

    private void Set(object owner, object value)
    {
        Type type = Nullable.GetUnderlyingType(property.PropertyType) ?? property.PropertyType;
        property.SetValue(owner, value is long ? Convert.ChangeType(value, type, CultureInfo.InvariantCulture) : value,
            BindingFlags.DoNotWrapExceptions, null, null, null);
    }
}
