using System.Reflection;

namespace CoAP.NET.Simulation.Simulate;

/// <summary>Plans as text: what is not as it would be anyway, as <c>name=value</c>.</summary>
internal static class PlanText
{
    public static string Write<T>(T plan)
        where T : new()
    {
        T usual = new();
        return string.Join(' ', typeof(T).GetProperties(BindingFlags.Public | BindingFlags.Instance)
            .Where(property => property.CanWrite && !Equals(property.GetValue(plan), property.GetValue(usual)))
            .Select(property => $"{property.Name}={property.GetValue(plan)}"));
    }

    public static T Read<T>(string text)
        where T : new()
    {
        object plan = new T();
        foreach (string part in text.Split(' ', StringSplitOptions.RemoveEmptyEntries))
        {
            if (part.Split('=') is not [string name, string value] || typeof(T).GetProperty(name) is not { } property)
            {
                throw new FormatException($"'{part}' is nothing that can be said of a {typeof(T).Name}.");
            }

            property.SetValue(plan,
                property.PropertyType.IsEnum
                    ? Enum.Parse(property.PropertyType, value)
                    : Convert.ChangeType(value, property.PropertyType, CultureInfo.InvariantCulture));
        }

        return (T)plan;
    }
}
