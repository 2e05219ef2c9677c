namespace CoAP.NET.Options;

/// <summary>Makes the typed options of one number. Put own ones into a <see cref="CoapOptionRegistry"/>.</summary>
public interface IOptionFactory
{
    /// <summary>The number of the options it makes.</summary>
    int Number => Definition.Number;

    /// <summary>What is legal for these options; an option that breaks it counts as unrecognized (RFC 7252 section 5.4).</summary>
    OptionDefinition Definition { get; }

    /// <summary>Makes an option. Called only with a value whose length the definition allows.</summary>
    /// <param name="data">Number and bytes; valid for this call only.</param>
    /// <returns>The option.</returns>
    CoapOption Create(OptionData data);
}
