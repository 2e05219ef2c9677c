using System.Reflection.Metadata;

namespace CoAP.NET.Package.Tests.Packages;

/// <summary>Reads debugging symbols.</summary>
internal static class PortableSymbols
{
    private static readonly Guid s_embeddedSource = new("0E8A571B-6926-466E-B4AD-8AB04611F5FE");

    /// <summary>The part of the source files that the symbols hold, from 0 to 1.</summary>
    public static double EmbeddedSources(MemoryStream symbols)
    {
        symbols.Position = 0;
        using MetadataReaderProvider provider = MetadataReaderProvider.FromPortablePdbStream(symbols, MetadataStreamOptions.LeaveOpen);
        MetadataReader reader = provider.GetMetadataReader();
        int all = 0;
        int embedded = 0;
        foreach (DocumentHandle document in reader.Documents)
        {
            all++;
            foreach (CustomDebugInformationHandle information in reader.GetCustomDebugInformation(document))
            {
                if (reader.GetGuid(reader.GetCustomDebugInformation(information).Kind) == s_embeddedSource)
                {
                    embedded++;
                }
            }
        }

        return all == 0 ? 0 : (double)embedded / all;
    }
}
