namespace CoAP.NET.Dtls.Tests.Records;

/// <summary>Records of a session.</summary>
public sealed class RecordLayerTests
{
    private static readonly CipherSuite s_ccm8 = CipherSuite.All[0];
    private static readonly byte[] s_cid = [1, 2, 3, 4, 5, 6, 7, 8];
    private static readonly byte[] s_longCid = [.. Enumerable.Range(0, RecordLayer.MaxCidLength).Select(i => (byte)i)];

    [Theory]
    [InlineData(0, 0)]
    [InlineData(8, 0)]
    [InlineData(0, 4)]
    [InlineData(8, 32)]
    [InlineData(255, 255)]
    [Rfc("9146-3-2", "9146-3-4")]
    public void Each_end_decrypts_the_records_of_the_other_end(int serverCid, int clientCid)
    {
        foreach (CipherSuite suite in CipherSuite.All)
        {
            (RecordLayer client, RecordLayer server) = Pair(suite, s_longCid[..serverCid], new byte[clientCid]);
            server.ResumptionId = s_cid;
            for (int length = 0; length < 40; length++)
            {
                byte[] content = [.. Enumerable.Repeat((byte)7, length)];
                Assert.Equal(content, Exchange(client, server, content));
                Assert.Equal(content, Exchange(server, client, content));
            }

            Assert.Equal(s_cid, server.ResumptionId.ToArray());
            Assert.Equal(server.OwnCid.ToArray(), client.PeerCid.ToArray());
            Assert.True(client.ResumptionId.IsEmpty);
        }
    }

    [Fact]
    [Rfc("6347-4.1.2.6-1")]
    public void A_record_is_accepted_once_and_the_newest_64_records_in_any_order()
    {
        (RecordLayer client, RecordLayer server) = Pair(s_ccm8, [], []);
        byte[][] records = [.. Enumerable.Range(0, 70).Select(i => Seal(client, [(byte)i]))];
        Assert.Equal(RecordOpenResult.Opened, Open(server, records[69], out _, out bool isNewest));
        Assert.True(isNewest);
        for (int i = 68; i >= 6; i--)
        {
            Assert.Equal(RecordOpenResult.Opened, Open(server, records[i], out byte[] content, out isNewest));
            Assert.Equal([(byte)i], content);
            Assert.False(isNewest);
        }

        Assert.Equal(RecordOpenResult.Replayed, Open(server, records[5], out _, out _));
        Assert.All(records, record => Assert.Equal(RecordOpenResult.Replayed, Open(server, record, out _, out _)));
    }

    [Fact]
    [Rfc("9146-6-2", "6347-4.1.2.6-1")]
    public void A_modified_record_is_refused_and_the_original_record_is_accepted_afterwards()
    {
        foreach (byte[] cid in (byte[][])[[], s_cid])
        {
            (RecordLayer client, RecordLayer server) = Pair(s_ccm8, cid, []);
            byte[] record = Seal(client, "hello"u8.ToArray());
            for (int bit = 0; bit < 8 * record.Length; bit++)
            {
                byte[] forged = [.. record];
                forged[bit / 8] ^= (byte)(1 << (bit % 8));
                Assert.NotEqual(RecordOpenResult.Opened, Open(server, forged, out _, out _));
            }

            for (int length = 0; length < record.Length; length++)
            {
                Assert.NotEqual(RecordOpenResult.Opened, Open(server, record[..length], out _, out _));
            }

            Assert.Equal(RecordOpenResult.Opened, Open(server, record, out byte[] content, out _));
            Assert.Equal("hello"u8.ToArray(), content);
            Assert.True(server.Forgeries > 0);
        }
    }

    [Fact]
    [Rfc("9146-3-3")]
    public void Records_without_the_agreed_Connection_ID_are_foreign_and_vice_versa()
    {
        (RecordLayer with, RecordLayer serverWith) = Pair(s_ccm8, s_cid, []);
        (RecordLayer without, RecordLayer serverWithout) = Pair(s_ccm8, [], []);
        Assert.Equal(RecordOpenResult.Foreign, Open(serverWith, Seal(without, [1]), out _, out _));
        byte[] record = Seal(with, [1]);
        Assert.True(RecordHeader.TryRead(record, s_cid.Length, out RecordHeader header));
        Assert.Equal(RecordOpenResult.Foreign, serverWithout.Open(header, record, out _, out _, out _));
    }

    [Fact]
    public void A_record_number_is_never_reused_and_encryption_ends_after_the_last_number()
    {
        (RecordLayer client, _) = Pair(s_ccm8, [], []);
        client.SkipTo(s_ccm8.MaxRecords - 1);
        Assert.Throws<ArgumentOutOfRangeException>(() => client.SkipTo(0));
        byte[] record = new byte[client.RecordLength(1)];
        Assert.Equal(record.Length, client.Seal(ContentType.ApplicationData, [1], record));
        Assert.Equal(0, client.Seal(ContentType.ApplicationData, [1], record));
    }

    [Fact]
    public void Encrypting_and_decrypting_a_record_allocates_no_memory()
    {
        (RecordLayer client, RecordLayer server) = Pair(s_ccm8, s_cid, []);
        byte[] record = new byte[100];
        byte[] content = new byte[50];
        Roundtrip();
        long allocated = Allocations.Least(() =>
        {
            for (int i = 0; i < 100; i++)
            {
                Roundtrip();
            }
        });

        Assert.Equal(0, allocated);

        void Roundtrip()
        {
            int length = client.Seal(ContentType.ApplicationData, content, record);
            _ = RecordHeader.TryRead(record.AsSpan(0, length), s_cid.Length, out RecordHeader header);
            if (server.Open(header, record.AsSpan(0, length), out _, out _, out _) != RecordOpenResult.Opened)
            {
                throw new InvalidOperationException("A record of the other end was not opened.");
            }
        }
    }

    private static (RecordLayer Client, RecordLayer Server) Pair(CipherSuite suite, byte[] serverCid, byte[] clientCid)
    {
        byte[] keys = KeyBlock.Derive(suite, new byte[48], new byte[32], new byte[32]);
        return (new RecordLayer(suite, keys, isServer: false, clientCid, serverCid),
            new RecordLayer(suite, keys, isServer: true, serverCid, clientCid));
    }

    private static byte[] Seal(RecordLayer from, byte[] content)
    {
        byte[] record = new byte[from.RecordLength(content.Length)];
        Assert.Equal(record.Length, from.Seal(ContentType.ApplicationData, content, record));
        return record;
    }

    private static RecordOpenResult Open(RecordLayer to, byte[] record, out byte[] content, out bool isNewest)
    {
        content = [];
        isNewest = false;
        byte[] copy = [.. record];
        if (!RecordHeader.TryRead(copy, to.OwnCid.Length, out RecordHeader header))
        {
            return RecordOpenResult.Foreign;
        }

        RecordOpenResult result = to.Open(header, copy, out _, out Range range, out isNewest);
        content = copy[range];
        return result;
    }

    private static byte[] Exchange(RecordLayer from, RecordLayer to, byte[] content)
    {
        Assert.Equal(RecordOpenResult.Opened, Open(to, Seal(from, content), out byte[] received, out _));
        return received;
    }
}
