namespace CoAP.NET.Options;

/// <summary>Refuses option definitions that cannot work, when their factories are registered.</summary>
internal static class OptionDefinitionValidator
{
    // The longest value that an option can have (RFC 7252 section 3.1).
    private const int LongestValue = 65_804;

    // The longest integers that a UIntOption and a BlockOption hold.
    private const int LongestUInt = 4;
    private const int LongestBlock = 3;

    /// <summary>Checks the definition of a factory.</summary>
    /// <param name="factory">The factory.</param>
    /// <param name="known">The options of this library; null while they are made.</param>
    /// <returns>The definition.</returns>
    /// <exception cref="ArgumentException">The definition cannot work.</exception>
    public static OptionDefinition Check(IOptionFactory factory, CoapOptionRegistry? known)
    {
        ArgumentNullException.ThrowIfNull(factory);
        OptionDefinition definition = factory.Definition
            ?? throw new ArgumentException(
                $"The factory {factory.GetType().Name} has no definition. Return the definition of its options.");
        string? error = ErrorOfLengths(definition)
            ?? ErrorOfUse(definition)
            ?? ErrorOfBehavior(definition)
            ?? ErrorOfNumber(factory, definition)
            ?? ErrorOfClass(ClassOf(factory), definition)
            ?? ErrorOfKnown(known, definition);
        return error is null ? definition : throw new ArgumentException(error);
    }

    /// <summary>Returns the class that creates its options itself; null when another object does.</summary>
    public static Type? ClassOf(IOptionFactory factory) =>
        factory.GetType() is { IsGenericType: true } type && type.GetGenericTypeDefinition() == typeof(OptionFactory<>)
            ? type.GetGenericArguments()[0]
            : null;

    private static string? ErrorOfLengths(OptionDefinition definition)
    {
        (int min, int max) = (definition.MinLength, definition.MaxLength);
        if (min < 0 || min > max || max > LongestValue)
        {
            return $"The definition of {definition.Name} allows {min} to {max} bytes. Set 0 <= MinLength <= MaxLength <= {LongestValue}.";
        }

        return definition.Format switch
        {
            OptionFormat.Empty when max > 0 =>
                $"The definition of {definition.Name} has the format Empty and allows {max} bytes. Set MaxLength to 0, or use another "
                    + "format.",
            OptionFormat.UInt when max > LongestUInt =>
                $"The definition of {definition.Name} has the format UInt and allows {max} bytes, but the library reads integers of at "
                    + $"most {LongestUInt} bytes. Lower MaxLength, or use the format Opaque.",
            OptionFormat.Empty or OptionFormat.UInt or OptionFormat.Opaque or OptionFormat.String => null,
            _ => $"The definition of {definition.Name} has an undefined format. Use a member of OptionFormat.",
        };
    }

    // An option occurs in some messages, and a rule for requests, responses or signalling needs the use of the same name.
    private static string? ErrorOfUse(OptionDefinition definition)
    {
        (string name, OptionApplicability use) = (definition.Name, definition.Use);
        if (use is OptionApplicability.None || (use & ~(OptionApplicability.Both | OptionApplicability.Signalling)) != 0)
        {
            return $"The definition of {name} names no messages in which the option occurs. Set Use to a member of OptionApplicability.";
        }

        if (definition.SignallingCode is { } code)
        {
            return !code.IsSignalling
                ? $"The definition of {name} has the signalling code {code}, which is not a code from 7.01 to 7.31. Use one of them, or "
                    + "leave it out."
                : use != OptionApplicability.Signalling
                    ? $"The definition of {name} has the signalling code {code} and the use {use}. Set Use to Signalling, or leave out the "
                        + "code."
                    : null;
        }

        if (use.HasFlag(OptionApplicability.Signalling))
        {
            return $"The definition of {name} has the use {use} and no signalling code. Name the code in SignallingCode, or leave out "
                + "Signalling.";
        }

        if (definition.Methods is { } methods
            && (!use.HasFlag(OptionApplicability.Request) || methods.Count == 0 || methods.Any(static method => !method.IsRequest)))
        {
            return $"The definition of {name} has the use {use} and the methods '{string.Join(' ', methods)}'. List methods of requests, "
                + "and set Use to Request or Both; or set Methods to null for all.";
        }

        return definition.IsSingleInResponse && (!definition.IsRepeatable || use != OptionApplicability.Both)
            ? $"The definition of {name} has IsSingleInResponse, which is for options that are repeatable in requests. Set IsRepeatable "
                + "and the use Both, or leave it out."
            : null;
    }

    private static string? ErrorOfBehavior(OptionDefinition definition)
    {
        string? undefined = !Enum.IsDefined(definition.Protection) ? nameof(OptionDefinition.Protection)
            : !Enum.IsDefined(definition.Caching) ? nameof(OptionDefinition.Caching)
            : !Enum.IsDefined(definition.Storing) ? nameof(OptionDefinition.Storing)
            : !Enum.IsDefined(definition.ForwardingInRequest) ? nameof(OptionDefinition.ForwardingInRequest)
            : !Enum.IsDefined(definition.ForwardingInResponse) ? nameof(OptionDefinition.ForwardingInResponse)
            : null;
        return undefined is null ? null
            : $"The definition of {definition.Name} has an undefined value of {undefined}. Use a member of its type.";
    }

    private static string? ErrorOfNumber(IOptionFactory factory, OptionDefinition definition) =>
        definition.Number is < 0 or > OptionNumber.Max
            ? $"The definition of {definition.Name} has the number {definition.Number}. Use a number from 0 to {OptionNumber.Max}."
            : factory.Number != definition.Number
                ? $"The factory of {definition.Name} has the number {factory.Number}, and its definition {definition.Number}. Use one "
                    + "number."
                : null;

    private static string? ErrorOfClass(Type? type, OptionDefinition definition)
    {
        OptionFormat? format = type is null ? null
            : type.IsAssignableTo(typeof(UIntOption)) || type.IsAssignableTo(typeof(BlockOption)) ? OptionFormat.UInt
            : type.IsAssignableTo(typeof(StringOption)) ? OptionFormat.String
            : type.IsAssignableTo(typeof(OpaqueOption)) ? OptionFormat.Opaque
            : type.IsAssignableTo(typeof(EmptyOption)) ? OptionFormat.Empty
            : null;
        if (format is not null && format != definition.Format)
        {
            return $"The definition of {definition.Name} has the format {definition.Format}, but {type!.Name} is an option of the format "
                + $"{format}. Change the format, or derive the class from another one.";
        }

        return type?.IsAssignableTo(typeof(BlockOption)) == true && definition.MaxLength > LongestBlock
            ? $"The definition of {definition.Name} allows {definition.MaxLength} bytes, but {type.Name} is an option of a block with at "
                + $"most {LongestBlock} bytes. Lower MaxLength, or derive the class from another one."
            : null;
    }

    // This library reads the value itself, so it must keep its form and its places.
    private static string? ErrorOfKnown(CoapOptionRegistry? known, OptionDefinition definition)
    {
        if (known?.Find(definition.SignallingCode ?? default, definition.Number)?.Definition is not { } ours)
        {
            return null;
        }

        string both = $"The definition of {definition.Name} is for the number {definition.Number}, which is {ours.Name}";
        return ours.Format != definition.Format
            ? $"{both}. It has the format {definition.Format} instead of {ours.Format}. Keep the format, or use another number."
            : ours.IsRepeatable != definition.IsRepeatable
                ? $"{both}. IsRepeatable is {definition.IsRepeatable} instead of {ours.IsRepeatable}. Keep it, or use another number."
                : (ours.Use & ~definition.Use) != 0
                    ? $"{both}. It has the use {definition.Use} instead of {ours.Use}. Keep the use, or use another number."
                    : null;
    }
}
