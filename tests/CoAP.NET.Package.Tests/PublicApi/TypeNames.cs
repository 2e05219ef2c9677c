using System.Reflection;

namespace CoAP.NET.Package.Tests.PublicApi;

/// <summary>Types as C# writes them, without namespaces.</summary>
internal static class TypeNames
{
    private static readonly Dictionary<Type, string> s_keywords = new()
    {
        [typeof(void)] = "void", [typeof(bool)] = "bool", [typeof(byte)] = "byte", [typeof(sbyte)] = "sbyte", [typeof(short)] = "short",
        [typeof(ushort)] = "ushort", [typeof(int)] = "int",
        [typeof(uint)] = "uint", [typeof(long)] = "long", [typeof(ulong)] = "ulong", [typeof(float)] = "float", [typeof(double)] = "double",
        [typeof(decimal)] = "decimal", [typeof(char)] = "char",
        [typeof(string)] = "string", [typeof(object)] = "object",
    };

    public static string Of(Type type) => Of(type, null);

    public static string Of(Type type, NullabilityInfo? nullability)
    {
        if (type.IsByRef)
        {
            return Of(type.GetElementType()!, nullability);
        }

        if (Nullable.GetUnderlyingType(type) is { } inner)
        {
            return Of(inner) + "?";
        }

        string mark = nullability is { ReadState: NullabilityState.Nullable } or { ReadState: NullabilityState.Unknown,
            WriteState: NullabilityState.Nullable } && !type.IsValueType ? "?" : string.Empty;
        if (type.IsArray)
        {
            return $"{Of(type.GetElementType()!, nullability?.ElementType)}[{new string(',', type.GetArrayRank() - 1)}]{mark}";
        }

        if (type.IsPointer)
        {
            return Of(type.GetElementType()!) + "*";
        }

        if (s_keywords.TryGetValue(type, out string? keyword))
        {
            return keyword + mark;
        }

        if (type.IsGenericParameter)
        {
            return type.Name + mark;
        }

        string name = type.IsNested ? $"{Of(type.DeclaringType!)}.{type.Name}" : type.Name;
        int tick = name.LastIndexOf('`');
        if (tick < 0)
        {
            return name + mark;
        }

        Type[] arguments = type.GetGenericArguments();
        IEnumerable<string> names = arguments.Select((argument, i) =>
            Of(argument, nullability is { } known && known.GenericTypeArguments.Length == arguments.Length
                ? known.GenericTypeArguments[i]
                : null));
        return $"{name[..tick]}<{string.Join(", ", names)}>{mark}";
    }

    public static string Arguments(Type[] arguments) =>
        arguments.Length == 0 ? string.Empty : $"<{string.Join(", ", arguments.Select(Of))}>";

    public static string Constraints(Type[] arguments) =>
        string.Concat(arguments.Where(argument => argument.IsGenericParameter).Select(argument =>
        {
            GenericParameterAttributes flags = argument.GenericParameterAttributes;
            List<string> parts = [];
            if (flags.HasFlag(GenericParameterAttributes.ReferenceTypeConstraint))
            {
                parts.Add("class");
            }

            if (flags.HasFlag(GenericParameterAttributes.NotNullableValueTypeConstraint))
            {
                parts.Add("struct");
            }

            parts.AddRange(argument.GetGenericParameterConstraints().Where(type => type != typeof(ValueType)).Select(Of));
            if (flags.HasFlag(GenericParameterAttributes.DefaultConstructorConstraint)
                && !flags.HasFlag(GenericParameterAttributes.NotNullableValueTypeConstraint))
            {
                parts.Add("new()");
            }

            return parts.Count == 0 ? string.Empty : $" where {argument.Name} : {string.Join(", ", parts)}";
        }));
}
