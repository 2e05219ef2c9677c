#nullable enable

/// <summary>The switch of the mutations; every project of the mutated copy has one.</summary>
internal static class CoapMutant
{
    private const int Recording = -1;

    private static readonly int s_active =
        int.TryParse(global::System.Environment.GetEnvironmentVariable("COAP_MUTANT"), out int id) ? id : 0;

    /// <summary>Whether a mutation is active. While the tests are recorded, none is, and the recorder notes the call.</summary>
    public static bool Is(int id)
    {
        if (s_active == Recording)
        {
            (global::System.AppDomain.CurrentDomain.GetData("COAP_MUTANT_REACHED") as global::System.Action<int>)?.Invoke(id);
        }

        return s_active == id;
    }
}
